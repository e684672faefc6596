//! Programs of others that a shown command starts, pipes from or pipes into. Each does what the documents show it
//! doing; `ken` itself is always the real one.

/// Their names, and what a shell does for them in the user's folder.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("docker", "cat docker.txt >&2\nexit 125\n"),
    ("terraform", TERRAFORM),
    ("kubectl", "cat pod.txt\n"),
    ("make", "cat build.log >&2\nexit 2\n"),
    ("cargo", "cat build.log >&2\nexit 101\n"),
    // A language model reads its prompt.
    ("llm", "cat > /dev/null\n"),
    ("jq", JQ),
];

/// A plan and a validation with findings, and an apply that fails.
const TERRAFORM: &str = "case \"$1\" in
show) cat plan.json ;;
validate) cat validate.json; exit 1 ;;
apply) cat apply.log >&2; exit 1 ;;
esac
";

/// Paths into JSON and nothing else. A path that leads to nothing is an error: then the document names a field that
/// does not exist.
const JQ: &str = r#"[ "$1" = -r ] && shift
exec python3 -c '
import json, re, sys
found = []
for line in sys.stdin.read().splitlines():
    at = [json.loads(line)]
    for name, number, every in re.findall(r"\.?([a-z_]+)|\[(\d+)\]|(\[\])", sys.argv[1]):
        at = [x[name] for x in at if x.get(name) is not None] if name else \
            [x[int(number)] for x in at if len(x) > int(number)] if number else [y for x in at for y in x]
    found += at
if not found:
    sys.exit("error: nothing under " + sys.argv[1])
for x in found:
    print(x)
' "$1"
"#;
