use crate::support::ken::User;

const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Harbour handbook</title>\n<style>p { color: red }</style></head>\n\
    <body><nav><a href=\"/\">All handbooks of the coast</a></nav>\n<main>\n<h2 id=\"pilots\">Ordering pilots<a \
    class=\"headerlink\" href=\"#pilots\">¶</a></h2>\n<p>Pilots are ordered by <em>radio</em> &mdash; two hours before \
    the ship\nis at the roads, and one hour before if the <code>night</code> watch is on.</p>\n<h2>Mooring</h2><p>Ropes \
    are doubled as soon as the wind is above 20&nbsp;knots; the harbour master decides about tugs.</p>\n<pre>\nmoor \
    --double &lt;berth&gt;\n</pre>\n</main><footer>Printed on the island</footer></body></html>\n";

#[test]
fn pages_are_found_by_what_people_read_of_them() {
    let user = User::new();
    user.document("handbook.html", PAGE);
    let ran = user.ken(&["index", "."]);
    assert!(ran.code == 0 && format!("{}{}", ran.out, ran.err).contains("1 new"), "{ran:?}");
    assert!(user.texts().iter().all(|text| !text.contains("href") && !text.contains("color") && !text.contains('¶')));
    let ask = |question: &str| {
        let json =
            user.ken(&["search", "--json", "--full", "--kind", "chunk", "--min-relevance", "0", "--dry-run", question]);
        json.json()["results"][0]["hits"][0].clone()
    };
    let hit = ask("how are pilots ordered");
    let text = hit["text"].as_str().unwrap();
    assert!(text.contains("Pilots are ordered by radio — two hours before the ship\nis at the roads"), "{hit}");
    assert!(text.contains("```\nmoor --double <berth>\n```") && text.contains("20 knots"), "{hit}");
    assert_eq!((hit["title"].as_str(), hit["state"].as_str()), (Some("Harbour handbook"), Some("fresh")), "{hit}");
    // What leads elsewhere is not there.
    for left_out in ["handbooks of the coast", "printed on the island"] {
        let hit = ask(left_out);
        assert!(!hit["text"].as_str().unwrap_or_default().contains(left_out), "{hit}");
    }
}

/// The lines that are cited are those of the file, tags and all, in hits and in frames.
#[test]
fn lines_are_those_of_the_file() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let long = |topic: &str| format!("<p>{topic} {}</p>\n", format!("goes on about {topic} and the sea. ").repeat(12));
    let page = format!(
        "<html>\n<body>\n<div\n class=x><h1>Coast</h1></div>\n<h2>Lamps</h2>\n{}<h2>Ropes</h2>\n{}<h2>Pilots</h2>\n{}",
        long("lamps"),
        long("ropes"),
        long("pilots")
    );
    user.document("coast.html", &page);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let line_of = |page: &str, what: &str| 1 + page.lines().position(|line| line.starts_with(what)).unwrap();
    let ask = || {
        let ran = user.ken(&["search", "--json", "-C", "0", "--kind", "chunk", "--min-relevance", "0", "pilots"]);
        let hit = ran.json()["results"][0]["hits"][0].clone();
        (hit["line_start"].as_u64(), hit["excerpt"]["line_start"].as_u64(), hit["state"].as_str().map(str::to_owned))
    };
    let line = Some(line_of(&page, "<p>pilots") as u64);
    assert_eq!(ask(), (line, line, Some("fresh".to_owned())));
    // Tags that change nothing that is read do not change the text: it has only moved.
    let changed = page.replace("<h1>Coast</h1>", "<h1\nid=a><b>Coast</b></h1>").replace("the sea", "<i>the sea</i>");
    user.document("coast.html", &changed);
    let line = Some(line_of(&changed, "<p>pilots") as u64);
    assert_eq!(ask(), (line, line, Some("moved".to_owned())));
    let frame = user.ken(&["pack", "--json", "--include", "coast.html", "--task", "pilots and the sea"]).json();
    let items = frame["sections"][1]["items"].as_array().unwrap();
    assert!(items.iter().any(|piece| piece["line_end"].as_u64() == line), "{frame}");
    assert!(items.iter().all(|piece| !piece["text"].as_str().unwrap().contains('<')), "{frame}");
    user.document("coast.html", changed.replace("pilots and", "tugs and"));
    assert_eq!(ask().2.as_deref(), Some("changed"));
}

#[test]
fn no_page_is_too_broken() {
    let user = User::new();
    user.document("a.html", "<p>An unclosed page <b>about <a href=\"pilots and <i>tugs");
    user.document("b.htm", "<script>only a program</script>");
    user.document(
        "c.xhtml",
        "<?xml version=\"1.0\"?>\n<html xmlns=\"x\"><body><p>Of <a id=\"x\"/>moorings.</p></body></html>",
    );
    user.document("d.html", "<table><tr><td><table><tr><td>".repeat(3_000));
    user.document("e.html", "<div><p>".repeat(60_000) + "deep");
    let ran = user.ken(&["index", "."]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let texts = user.texts();
    assert!(texts.iter().any(|text| text.contains("Of moorings.")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("deep")) && !texts.iter().any(|text| text.contains("program")));
    user.assert_sound();
}
