//! What must be so in the project, not what is to be done now.

use super::{By, ROW, Rule};
use crate::memory::extract::found::{Confidence, Kind, Trigger};

const BASE: Rule = Rule { kind: Some(Kind::Preference), trigger: Trigger::Requirement, ..ROW };

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "must be so",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|but|also|yes|no|well|important|requirement|constraint|",
            r"rule)[,.!: ]+)*(?P<what>(?:(?:the|all|every|each|any|our|no|new|public|these|both|only|tests?|",
            r"code|commits?|branch\w*|functions?|files?|errors?|names?|changes?|everything|nothing|nobody|",
            r"everyone|users?|responses?|requests?|components?|api|apis|secrets?|migrations?|",
            r"(?-i:[A-Z])[\w-]+|`[^`]+`)(?: [^\s,;:.!?]+){0,12}? (?:must(?: not| never| always| only)?|has to|",
            r"have to|may (?:not|only|never)|shall(?: not)?|(?:is|are) (?:required|not allowed|forbidden|",
            r"prohibited|mandatory|not permitted|supposed)(?: to)?|(?:should|needs? to|can) (?:always|never|",
            r"only|not ever)|cannot exceed|can't exceed) ?[\w`'\x22(-].*|it(?:'s| is) (?:required|mandatory|",
            r"forbidden|not allowed|essential|critical|a (?:hard )?requirement|a must)(?: that| to| for)? .+|",
            r"(?:it|this|that) must (?:(?:not|never|always|only|also) (?:work|run|be|support|stay|have|use|",
            r"return|fit|handle|pass)|work|run|support|stay|use|return|fit|handle|pass) .{3,}|we must (?:not|",
            r"never|always|only|support|keep|stay|use|run) .+|we (?:have to|need to) (?:support|stay|comply|",
            r"keep|always|never|work (?:with|on|offline)|run on|be (?:able|compatible)) .+))",
        ),
        unless: concat!(
            r"\bmust (?:be|feel|have|look)\b.*!$|\bmust (?:be|feel) (?:so|really|such|very|quite|pretty) |",
            r"^(?:i|you|he|she|they|there|what|how|why|maybe|perhaps|if|when|(?:that|this|it) must be)\b|",
            r"\bmust (?:have (?:been|forgotten|missed|changed|gone|broken)|be (?:a|an|the|some\w*|because|",
            r"something|wrong|missing|that|due|related|from) )|\b(?:has|have|needs?) to be (?:fixed|done|",
            r"updated|added|changed|renamed|removed|moved|replaced|rewritten|refactored|deleted|created|",
            r"corrected|adjusted|merged|tested|checked|improved|reworked|reviewed|implemented)\b|",
            r"\bhave to (?:do|say|go|admit|wait|think|look|see|ask)\b",
        ),
        yes: &[
            "The API must stay compatible with v1",
            "All commits have to be signed",
            "Every public function must have a doc comment",
            "it must work offline on a plane",
            "New endpoints may only use POST",
            "Secrets are not allowed in the repository",
            "we must never log tokens",
            "It is mandatory to sign off",
        ],
        no: &[
            "I must say it works",
            "The name has to be changed",
            "you must be tired",
            "It must be the cache",
            "I have to go",
            "The file must have been deleted",
            "What must be done?",
            "The view must be amazing!",
            "That must be hard for her",
        ],
        ..BASE
    },
    Rule {
        name: "a rule in a list",
        by: By::Bullet,
        pattern: concat!(
            r"^(?:[^:.!?]{2,40}: )?(?:(?:please|important|note|critical)[:,!]? )?(?:(?:when|before|after|if|",
            r"for|unless) [^,]{3,80}, )?(?:always|never|do(?:n't| not)|avoid|prefer|ensure|make sure|only|",
            r"must|no|keep|favou?r|follow|stick to|refrain from|be sure to|required|mandatory|limit|",
            r"minimi[sz]e) .{4,}",
        ),
        yes: &[
            "Never commit to main",
            "Prefer composition over inheritance",
            "Don't log secrets",
            "Ensure that tests pass",
            "Keep functions short",
            "Follow PEP 8",
        ],
        no: &["Installs the tool", "Noisy output", "The parser", "keepalive settings"],
        ..BASE
    },
    Rule {
        name: "should in a list",
        by: By::Bullet,
        pattern: concat!(
            r"^[^?]{3,120} (?:should|must|has to|have to|(?:is|are) (?:to be|required|mandatory|forbidden|",
            r"preferred|encouraged|discouraged|not allowed|expected to))\b.{3,}",
        ),
        unless: r"\b(?:if you|this should (?:fix|work)|should now|should (?:have|work|see))\b",
        yes: &[
            "Names should be descriptive",
            "Each commit should be small",
            "Type hints are encouraged everywhere",
            "Every change must pass the tests",
        ],
        no: &["Should be fine", "This should fix it for good", "What should we use?"],
        ..BASE
    },
    Rule {
        name: "an instruction in a list",
        by: By::Bullet,
        confidence: Confidence::Low,
        pattern: concat!(
            r"^(?:[^:.!?]{2,40}: )?(?:(?:when|before|after|if|for|unless) [^,]{3,80}, (?:please )?[a-z]{2,} |",
            r"(?:use|run|write|put|place|name|document|test|check|verify|read|treat|store|validate|group|",
            r"split|mark|reuse|respect|consider|ask|explain|preserve|maintain|separate|organi[sz]e|structure|",
            r"review|focus|target|rely on|choose|try to|be|commit|format|include|wrap|leave|declare|describe|",
            r"specify|aim|strive|think|assume|start with|work|reproduce|match|mirror|state|summari[sz]e|pass|",
            r"prepare|look for|search) ).{4,}",
        ),
        yes: &[
            "Use pnpm for everything",
            "Run `make lint` before you push",
            "When you add a route, update the docs",
            "Name tests after behaviour",
            "Before committing, run the tests",
            "Type checking: use mypy",
        ],
        no: &["Useful for tests", "The user names it", "Adds a flag", "Add a flag", "Update README.md"],
        ..BASE
    },
];
