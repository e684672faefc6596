#!/usr/bin/env python3
"""Uses the page of `ken serve` in a browser, as people do.

    pip install playwright==1.65.2 && apt-get install chromium && npm pack axe-core@4.14.1 && tar xf axe-core-4.14.1.tgz
    tests/clients/page.py --url http://127.0.0.1:7717 --token TOKEN --axe package/axe.min.js

The service has indexed a folder with the file `keys.md`, which `KEYS` has below. Answers that a real service gives only
with luck (nothing sure, stale files, too many requests) are made of real ones and put in their place.

Prints what was checked, and exits with 1 at the first thing that is not right.
"""

import argparse
import copy
import json
import shutil
import sys
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Error, expect, sync_playwright

KEYS = "# Signing keys\n\nSigning keys are rotated every ninety days.\n"
QUESTION = "signing keys are rotated every ninety days"
ERROR = "fatal: refusing to merge unrelated histories"
ENTRY = "git-ssh/unrelated-histories"
LOG = f"""$ git pull
{ERROR}
$ docker run --name web nginx
docker: Error response from daemon: Conflict. The container name "/web" is already in use by container "a1b2c3d4".
"""
NARROW = {"width": 320, "height": 640}
WIDE = {"width": 1100, "height": 900}
# Text that runs if it is taken for HTML anywhere; `ran` is defined in every tab.
HOSTILE = '<img src=x onerror="ran({0})"><script>ran({0})</script>'


def check(what, is_right, got=""):
    if not is_right:
        sys.exit(f"WRONG: {what}: {got}")
    print(f"ok: {what}")


def walk(value, change, path=()):
    """A copy of JSON with every string changed; `change` gets the path, without places in lists."""
    if isinstance(value, dict):
        return {key: walk(one, change, (*path, key)) for key, one in value.items()}
    if isinstance(value, list):
        return [walk(one, change, path) for one in value]
    return change(".".join(path)) if isinstance(value, str) else value


class Service:
    """The service that is asked, and the answers that it gives."""

    def __init__(self, url, token):
        self.url, self.token = url.rstrip("/"), token
        asked = {"explain": True, "context": 2, "limit": 10}
        self.found = self.ask("search", {"query": QUESTION, **asked})
        self.known = self.ask("lookup", {"text": LOG, "explain": True})
        self.status = self.ask("status", None)

    def ask(self, route, body):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/v1/{route}", data, headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def nothing(self, kind, near=()):
        """An answer without hits, perhaps with what came near."""
        answer = copy.deepcopy(self.found if kind == "search" else self.known)
        [finding, *_] = answer["results"]
        finding.update(verdict="none", hits=[], candidates=list(near))
        answer.update(results=[finding], errors_found=1, errors_shown=1)
        return answer

    def near(self):
        hit = self.found["results"][0]["hits"][0]
        explain = {**hit["explain"], "gate": 0.4, "margin": -0.35}
        of_file = {key: hit[key] for key in ["id", "title", "path", "line_start"]}
        return [{**of_file, "relevance": 0.05, "explain": explain}, {"id": ENTRY, "title": "Other", "relevance": 0.001}]

    def stale(self):
        """The real hit four times, in the states that a passage can be in."""
        answer = copy.deepcopy(self.found)
        [finding] = answer["results"]
        hit = finding["hits"][0]
        finding["hits"] = [{**hit, "state": state, "also_in": 2} for state in ["moved", "changed", "gone", "unfiled"]]
        answer["notes"] = ["The index is being written."]
        return answer

    def stale_status(self):
        names = [f"/home/ann/notes/{at}.md" for at in range(30)]
        more = {"changed": names, "gone": names[:1], "writer": "ken index", "complaints": ["1 file is gone"]}
        return {**self.status, **more, "models_agree": False, "index_model": "another@1", "traces_left": True}


def fulfil(answer, status=200, headers=None):
    """A handler that answers in place of the service."""
    kind = "application/json" if status < 400 else "application/problem+json"
    body = answer if isinstance(answer, str) else json.dumps(answer)
    return lambda route: route.fulfill(status=status, body=body, content_type=kind, headers=headers)


PROBLEM = {
    "type": "about:blank",
    "title": "Wrong usage",
    "status": 400,
    "detail": "nonsense is no type of files",
    "kind": "usage",
    "hint": "see `ken search --help`",
}


class Browser:
    """Opens the page in contexts of their own, and takes down what must not happen: errors and requests elsewhere."""

    def __init__(self, browser, service, axe):
        self.browser, self.service, self.axe = browser, service, axe
        self.held = []

    def hold(self, route):
        """A handler that answers nothing for now."""
        self.held.append(route)

    @contextmanager
    def page(self, scheme="light", size=WIDE, address=None, before="", fails="", **more):
        """`before` is script that runs before that of the page; `fails` is an error that is right here."""
        context = self.browser.new_context(viewport=size, color_scheme=scheme, **more)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.add_init_script("window.ranWith = []; window.ran = (at) => window.ranWith.push(at);" + before)
        page = context.new_page()
        wrong = []

        def on_console(message):
            if message.type == "error" and not (fails and fails in message.text):
                wrong.append(message.text)

        def on_request(request):
            if not request.url.startswith((self.service.url + "/", "data:")):
                wrong.append(f"a request to {request.url}")

        page.on("console", on_console)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", on_request)
        page.goto(self.service.url + (address or f"/#token={self.service.token}"))
        yield page
        ran = page.evaluate("window.ranWith")
        page.remove_listener("console", on_console)
        while self.held:
            # It may be cancelled already.
            with suppress(Error):
                self.held.pop().abort()
        context.close()
        if wrong or ran:
            sys.exit(f"WRONG: errors, requests elsewhere or scripts that ran: {wrong} {ran}")


# What the console says of an answer of status 400 or more, and of none.
FAILED = "Failed to load resource"


def ask(page, text):
    page.locator("#box").fill(text)
    page.locator("#box").press("Enter")
    expect(page.locator("#busy.on")).to_have_count(0)


def look_up(page, text):
    page.locator("#mode-lookup").check(force=True)
    ask(page, text)


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def with_token(browser):
    with browser.page() as page:
        expect(page.locator("#answer")).to_contain_text("known error")
        check("the token leaves the address", "token" not in page.url, page.url)
        kept = page.evaluate("[sessionStorage.getItem('token'), localStorage.length, document.cookie]")
        check("the token is kept for the tab alone", kept == [browser.service.token, 0, ""], kept)
        page.reload()
        expect(page.locator("#answer")).to_contain_text("known error")
        check("the token outlives a reload", page.locator("#token-form").is_hidden())


def without_token(browser):
    with browser.page(address="/", fails=FAILED) as page:
        expect(page.locator("#token")).to_be_focused()
        check("without a token a form asks for it", page.locator("#token-wrong").is_hidden())
        page.locator("#token").fill("not it")
        page.keyboard.press("Enter")
        expect(page.locator("#token-wrong")).to_be_visible()
        check("a wrong token is said", page.locator("#token-form").is_visible())
        page.locator("#token").fill(f" {browser.service.token} ")
        page.keyboard.press("Enter")
        expect(page.locator("#token-form")).to_be_hidden()
        ask(page, QUESTION)
        expect(page.locator(".hit").first).to_contain_text("keys.md")
        check("the right token is taken", "token" not in page.url, page.url)
        page.route("**/v1/search", fulfil(PROBLEM, 401))
        for _ in range(5):
            # The browser may let a request through that begins while it is told of the route.
            page.locator("#box").press("Enter")
            expect(page.locator("#busy.on")).to_have_count(0)
            if page.locator("#token-form").is_visible():
                break
        expect(page.locator("#token-form")).to_be_visible()
        check("a token that is no longer valid is said", page.locator("#token-wrong").is_visible())
    with browser.page(address="/", fails=FAILED) as page:
        expect(page.locator("#token")).to_be_focused()
        page.evaluate("(token) => { location.hash = `token=${token}`; }", browser.service.token)
        expect(page.locator("#token-form")).to_be_hidden()
        check("a token is taken from an address that is opened later", "token" not in page.url, page.url)


def policy(browser):
    with urllib.request.urlopen(browser.service.url + "/") as response:
        sent = response.headers["Content-Security-Policy"] or ""
        size = len(response.read())
    wanted = ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
    check("the page has its policy", all(one in sent for one in wanted) and "unsafe" not in sent, sent)
    check("the page is small", size < 62_000, size)
    with browser.page(fails="Content Security Policy") as page:
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'ran(1)'}))")
        check("the policy stops other scripts", page.evaluate("window.ranWith.length") == 0)


def as_one_types(browser):
    with browser.page() as page:
        expect(page.locator("#answer")).to_contain_text("known error")
        asked = []
        page.on("request", lambda request: asked.append(request.post_data_json))
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        page.locator("#box").press_sequentially("s")
        page.keyboard.press("Enter")
        page.clock.run_for(1000)
        check("one character asks nothing", asked == [], asked)
        page.locator("#box").press_sequentially("igning ke")
        page.clock.run_for(149)
        page.locator("#box").press_sequentially("ys")
        page.clock.run_for(149)
        check("nothing is asked while one types", asked == [], asked)
        with page.expect_response("**/v1/search"):
            page.clock.run_for(1)
        check("a pause asks once", [one["query"] for one in asked] == ["signing keys"], asked)
        expect(page.locator("#count")).to_contain_text("hit")
        with page.expect_response("**/v1/search"):
            page.locator("#box").press_sequentially(" rotated")
            page.keyboard.press("Enter")
        page.clock.run_for(1000)
        check("Enter asks at once, and once", [one["query"] for one in asked[1:]] == ["signing keys rotated"], asked)
        page.locator("#box").fill("")
        expect(page.locator(".hit")).to_have_count(0)
        check("an empty box shows no old answer", len(asked) == 2, asked)


def in_order(browser):
    """The first answer comes after the second, once with requests that are cancelled and once where none can be."""
    no_abort = "AbortController.prototype.abort = () => {};"
    for before in ["", no_abort]:
        with browser.page(before=before) as page:
            cancelled = []
            late = copy.deepcopy(browser.service.found)
            late["results"][0]["hits"][0]["title"] = "Late answer"

            def on_search(route):
                if route.request.post_data_json["query"] == "first":
                    browser.hold(route)
                else:
                    route.continue_()

            page.route("**/v1/search", on_search)
            page.on("requestfailed", lambda request: cancelled.append(request.post_data_json["query"]))
            page.locator("#box").fill("first")
            page.keyboard.press("Enter")
            expect(page.locator("#busy.on")).to_have_count(1)
            page.locator("#box").fill(QUESTION)
            page.keyboard.press("Enter")
            expect(page.locator(".hit").first).to_contain_text("keys.md")
            if before:
                with page.expect_response(lambda response: response.request.post_data_json["query"] == "first"):
                    browser.held.pop().fulfill(json=late)
                page.evaluate("new Promise((done) => setTimeout(done, 50))")
                shown = page.locator("#answer").inner_text()
                check("an answer that comes too late is not shown", "Late answer" not in shown, shown)
            else:
                # A slow machine asks it twice: when typing ends, and at Enter.
                check("a new question cancels the one before", set(cancelled) == {"first"}, cancelled)


def search(browser):
    with browser.page() as page:
        ask(page, QUESTION)
        hit = page.locator(".hit").first
        expect(hit.locator("h3")).to_contain_text("Signing keys")
        place = hit.locator("code").first.inner_text()
        check("a hit has its place", place.endswith("keys.md:3"), place)
        check("a hit has its lines", "rotated every ninety days" in hit.locator("pre").inner_text())
        check("words of the question are marked", "rotated" in hit.locator("mark").all_inner_texts())
        check("a hit says how sure it is", "% sure" in hit.locator(".sure").inner_text().replace("\u00a0", " "))
        hit.get_by_role("button", name="Copy").first.click()
        expect(hit.get_by_role("button").first).to_have_text("Copied")
        check("the place is copied", clipboard(page) == place, clipboard(page))
        check("that it is copied is announced", place in page.locator("#said").inner_text())
        hit.locator("summary").click()
        expect(hit.locator(".signals")).to_be_visible()
        said = hit.locator(".why").inner_text().replace("\u00a0", " ")
        check("gate and margin are said in words", "is needed. It is" in said and "above the gate" in said, said)
        explain = browser.service.found["results"][0]["hits"][0]["explain"]
        for name, label in {"keyword": "Words", "similar": "Both", "recency": "Recency"}.items():
            row = hit.locator(".signals li", has_text=label)
            check(f"the signal {name} has its number", f"{explain[name]:.2f}" in row.inner_text(), row.inner_text())
            share = row.locator(".bar").evaluate("(bar) => bar.firstChild.clientWidth / bar.clientWidth")
            check(f"the signal {name} has its bar", abs(share - explain[name]) < 0.03, share)
        page.route("**/v1/search", fulfil(browser.service.stale()))
        page.locator("#go").click()
        expect(page.locator(".hit")).to_have_count(4)
        states = page.locator(".hit .warn").all_inner_texts()
        check(
            "what is stale or moved is said",
            [one.split()[0] for one in states] == ["Moved", "Stale:", "Stale:", "There"],
        )
        check("notes are shown", "being written" in page.locator("#notes").inner_text())
        page.evaluate("navigator.clipboard.writeText('something else')")
    with browser.page(before="Object.defineProperty(navigator, 'clipboard', { value: undefined });") as page:
        ask(page, QUESTION)
        page.get_by_role("button", name="Copy").first.click()
        expect(page.get_by_role("button", name="Copy").first).to_have_text("Copied")
        page.locator("#box").fill("")
        page.keyboard.press("Control+v")
        check("places are copied without the clipboard of HTTPS", page.locator("#box").input_value() == place)


def nothing_sure(browser):
    with browser.page() as page:
        for kind, opened in {"search": ask, "lookup": look_up}.items():
            page.route(f"**/v1/{kind}", fulfil(browser.service.nothing(kind, browser.service.near())))
            opened(page, "something else")
            expect(page.locator("#answer")).to_contain_text("Nothing sure enough. Closest:")
            marks = page.locator(".hit.unsure .sure").all_inner_texts()
            check(f"{kind}: what came near is marked as not sure", len(marks) == 2 and "Not sure" in marks[0], marks)
            check(f"{kind}: no cause and no fix", page.get_by_text("Fix", exact=True).count() == 0)
            page.route(f"**/v1/{kind}", fulfil(browser.service.nothing(kind)))
            page.locator("#go").click()
            expect(page.locator("#answer")).to_contain_text("Nothing is known about this.")
            check(f"{kind}: silence is one sentence", page.locator(".hit").count() == 0)


def lookup(browser):
    with browser.page() as page:
        look_up(page, ERROR)
        check("the box has the name of its mode", page.get_by_role("textbox", name="Error or log").count() == 1)
        hit = page.locator(".hit").first
        expect(hit.locator("h4")).to_have_text("Refusing to merge unrelated histories")
        check("a sure answer says what that means", "so the cause is known" in hit.inner_text(), hit.inner_text())
        steps = hit.locator(".steps > li")
        check("the fix has its steps", steps.count() == 4, steps.count())
        check("what destroys something is said", "Destroys something: loses" in steps.nth(3).inner_text())
        steps.nth(1).get_by_role("button").click()
        expect(steps.nth(1).get_by_role("button")).to_have_text("Copied")
        check("a command is copied", clipboard(page) == "git fetch --unshallow", clipboard(page))
        hit.get_by_role("button", name="Copy all steps").click()
        expect(hit.get_by_role("button").nth(1)).to_have_text("Copied")
        check("all steps are copied", clipboard(page).startswith("1. ") and "\n4. " in clipboard(page), clipboard(page))
        hit.get_by_role("button", name="Copy the cause").click()
        expect(hit.get_by_role("button").nth(0)).to_have_text("Copied")
        check("the cause is copied", "no common commit" in clipboard(page), clipboard(page))
        ask(page, LOG)
        expect(page.locator(".finding")).to_have_count(2)
        check("errors of a log come one after the other", "2 errors" in page.locator("#count").inner_text())
        error = page.locator(".finding").filter(has=page.locator("h3", has_text="docker:"))
        check("the line of an error is said", "line 4" in error.inner_text(), error.inner_text())
        caught = error.locator("dl").inner_text().split()
        check("what was caught in the text is shown", caught == ["name", "web"], caught)
        general, guess = copy.deepcopy(browser.service.known), copy.deepcopy(browser.service.known)
        for answer, tier in [(general, "general"), (guess, "close")]:
            answer["results"][0]["hits"][0].update(tier=tier, relevance=0.58)
        for answer, said in [(general, "does not say why"), (guess, "58 % sure")]:
            page.route("**/v1/lookup", fulfil(answer))
            page.locator("#go").click()
            expect(page.locator(".hit.unsure")).to_contain_text(said)
        check("what is general or a guess is said", True)
        learnt = copy.deepcopy(browser.service.known)
        learnt["results"][0]["hits"][0].update(memory=MEMORY, source="memory", overrides_canon=True)
        learnt["results"][0].update(failed=FAILED_BEFORE)
        page.route("**/v1/lookup", fulfil(learnt))
        page.locator("#go").click()
        rests = "Learnt here: worked 3 times, did not help once, met in 2 sessions. It is 75 % sure. No person has"
        expect(page.locator(".hit").first).to_contain_text(rests)
        expect(page.locator(".finding").first).to_contain_text("Tried before, and did not help:")
        check("what a memory rests on is said, and what did not help", True)
        learnt["results"][0].update(hits=[], verdict="none")
        page.route("**/v1/lookup", fulfil(learnt))
        page.locator("#go").click()
        expect(page.locator(".finding").first.locator(".hit")).to_have_count(0)
        silent = "Nothing is known" not in page.locator(".finding").first.inner_text()
        check("what did not help is no silence", silent, page.locator(".finding").first.inner_text())
        page.unroute("**/v1/lookup")
        page.locator("#box").fill("one line")
        page.locator("#box").press("Shift+Enter")
        check("a log is typed in lines", page.locator("#box").input_value() == "one line\n")
        page.get_by_text("Search", exact=True).first.click()
        expect(page.locator("#box")).to_be_focused()
        page.locator("#box").fill(LOG)
        page.get_by_role("button", name="Look these lines up as a log").click()
        expect(page.locator(".finding").first).to_be_visible()
        check("lines in the box of search can be looked up", page.locator("#mode-lookup").is_checked())


# What a service tells of failures.
FAILURES = {
    "failures": [
        {
            "scope": "x",
            "tool": "bash",
            "head": "make",
            "error_fingerprint": "x",
            "example": "make: jq: No such file or directory\nmake: *** [Makefile:3: test] Error 127",
            "count": 12,
            "sessions": 4,
            "first_at": 0,
            "last_at": 86_400_000,
            "overcome": "Run `apt-get install -y jq`, then `make` again",
            "places": [{"file": "Makefile", "line": 3, "column": None, "message": "x"}],
        },
        {
            "scope": "x",
            "tool": "sql",
            "head": "",
            "error_fingerprint": "x",
            "example": "Unknown column 'a' in 'field list'",
            "count": 1,
            "sessions": 1,
            "first_at": 0,
            "last_at": 0,
            "overcome": None,
            "places": [],
        },
    ],
    "kept": {
        "rows": 30,
        "sessions": 4,
        "failures": 13,
        "errors": 2,
        "lost": {"total": 3, "busy": 3, "full": 0, "damaged": 0, "unreadable": 0},
    },
}


def show_failures(page):
    page.locator("#mode-failures").check(force=True)
    expect(page.locator("#busy.on")).to_have_count(0)


def failures(browser):
    with browser.page() as page:
        show_failures(page)
        expect(page.locator("#answer")).to_contain_text("Nothing was reported here.")
        check("without reports it is said how they come", "ken hook" in page.locator("#answer").inner_text())
    runs = [
        {"session": session, "tool": "bash", "input": command, **more}
        for session in ["a", "b"]
        for command, more in [
            ("make test", {"exit_code": 2, "error": "make: jq: No such file or directory"}),
            ("apt-get install -y jq", {"exit_code": 0}),
            ("make test", {"exit_code": 0}),
        ]
    ]
    runs.append({"session": "a", "tool": "sql", "input": "SELECT a", "error": "Unknown column 'a' in 'field list'"})
    browser.service.ask("outcomes", {"outcomes": runs})
    with browser.page() as page:
        page.locator("#box").fill("a question")
        show_failures(page)
        check("a question is no tool", page.locator("#box").input_value() == "")
        check("the box has the name of its mode", page.get_by_role("textbox", name="Tool").count() == 1)
        expect(page.locator(".hit h3")).to_have_text(["bash: make", "sql: SELECT"])
        often = page.locator(".hit .sure").all_inner_texts()
        check("failures come by how often they were met", often == ["2 times", "1 time"], often)
        check("runs are counted", "7 runs in 2 sessions" in page.locator("#count").inner_text())
        with page.expect_response("**/v1/outcomes?*") as asked:
            page.locator("#box").fill("sql")
            page.keyboard.press("Enter")
        check("a tool is asked for", "tool=sql" in asked.value.url, asked.value.url)
        expect(page.locator(".hit h3")).to_have_text(["sql: SELECT"])
        page.keyboard.press("Escape")
        expect(page.locator(".hit")).to_have_count(2)
        page.locator("#filters summary").click()
        with page.expect_response("**/v1/outcomes?*") as asked:
            page.locator("#filter-since").select_option("7 days")
        check("a time is asked for", "since=7d" in asked.value.url and "end=" not in asked.value.url, asked.value.url)
        check("the address remembers both", page.url.endswith("/?mode=failures&since=7d"), page.url)
        page.route("**/v1/outcomes?*", fulfil(FAILURES))
        page.reload()
        expect(page.locator(".hit")).to_have_count(2)
        overcome, never = page.locator(".hit").all_inner_texts()
        check("the place that the tool named is shown", "Makefile:3" in overcome, overcome)
        check("what overcame a failure is said", "Overcome by: Run apt-get install -y jq" in overcome, overcome)
        check("what never went away is said", "Never overcome" in never and "Overcome by" not in never, never)
        check("what was lost is said", "3 runs could not be kept" in page.locator("#notes").inner_text())
        page.locator("#filter-end").select_option("never overcome")
        expect(page.locator(".hit h3")).to_have_text(["sql"])
        page.locator("#filter-end").select_option("overcome")
        expect(page.locator(".hit h3")).to_have_text(["bash: make"])
        check("they are filtered by how they ended", page.locator("#missing").is_hidden())
        page.locator("#box").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".hit pre")).to_contain_text("Error 127")
        check("a key opens the whole error", True)
        with page.expect_request("**/v1/lookup") as asked:
            page.get_by_role("button", name="Look it up").click()
        check("an error is looked up", asked.value.post_data_json["text"] == FAILURES["failures"][0]["example"])
        check("the mode is that of lookups", page.locator("#mode-lookup").is_checked())
        page.locator("#mode-search").check(force=True)
        show_failures(page)
        check("a question is none of the tool's", page.locator("#box").input_value() == "")


# A plan of five tools, of which two were used together before, and the tools that were found for it; one answer to both
# questions.
TOOLS = {
    "tools": [
        {
            "key": "zoo/find_pet",
            "name": "find_pet",
            "server": "zoo",
            "description": "Finds a pet by its name",
            "parameters": [{"name": "name", "kind": "string", "required": True}],
            "results": [{"name": "pet_id", "kind": "string", "required": False}],
            "tags": ["x"],
            "share": 0.6,
            "chance": 0.95,
            "suggested": True,
            "because": ["your words are those of its name"],
            "calls": 4,
            "ok": 3,
        }
    ],
    "closest": [],
    "capabilities": [
        {"tools": ["zoo/weigh", "zoo/feed_pet"], "score": 1, "coverage": 1, "uses": 3, "ok": 3, "because": ["x"]}
    ],
    "known": 7,
    "unapproved": 1,
    "semantic": True,
    "levels": [["zoo/find_pet"], ["zoo/weigh", "zoo/photograph_the_pet_from_all_sides"], ["zoo/feed_pet"], ["zoo/log"]],
    "edges": [
        {"from": one, "to": other, "surety": 1, "because": {"kind": "field", "name": "pet_id"}}
        for one, other in [
            ("zoo/find_pet", "zoo/weigh"),
            ("zoo/find_pet", "zoo/photograph_the_pet_from_all_sides"),
            ("zoo/weigh", "zoo/feed_pet"),
            ("zoo/feed_pet", "zoo/log"),
        ]
    ],
    "broken": [],
    "missing": [{"tool": "zoo/find_pet", "parameter": "name", "type": "string"}],
}


def find_tools(page, task=QUESTION):
    page.locator("#mode-tools").check(force=True)
    ask(page, task)


def tools(browser):
    with browser.page() as page:
        find_tools(page)
        expect(page.locator("#answer")).to_contain_text("No tools are known here.")
        hidden = [page.locator(fold).is_hidden() for fold in ["#filters", "#missing"]]
        check("filters are not for tools", all(hidden), hidden)
        check("the address remembers the mode", page.url.endswith("/?mode=tools"), page.url)
    with browser.page() as page:
        page.route("**/v1/tools/*", fulfil(TOOLS))
        find_tools(page, "feed the pet")
        expect(page.locator(".hit h3")).to_have_text(["zoo/find_pet"])
        told = page.locator("#results").inner_text()
        check("it is said why", "your words are those of its name" in told and "75\u00a0% went well" in told, told)
        check("what is missing is said", "zoo/find_pet needs name" in told, told)
        check("what waits for approval is said", "must be approved" in page.locator("#notes").inner_text())
        names = lambda: page.locator(".plan text").all_text_contents()
        expect(page.locator(".plan .arrow")).to_have_count(3)
        is_closed = "\u25b8 2 tools used together" in names() and "zoo/weigh" not in names()
        check("a set of tools is closed", is_closed, names())
        [long] = [name for name in names() if name.startswith("zoo/photo")]
        check("a long name is cut, and whole for who points at it", long.endswith("\u2026"), long)
        held = page.get_by_role("button", name="2 tools used together")
        check("it says that it is closed", held.get_attribute("aria-expanded") == "false")
        held.click()
        check("a click opens it", {"zoo/weigh", "zoo/feed_pet"} <= set(names()), names())
        check("it says that it is open", held.get_attribute("aria-expanded") == "true")
        expect(page.locator(".plan .arrow")).to_have_count(4)
        expect(held).to_be_focused()
        page.keyboard.press("Enter")
        check("a key closes it", "zoo/weigh" not in names(), names())
        page.keyboard.press(" ")
        check("another key opens it", "zoo/weigh" in names(), names())
        # Waits for a picture, since it is drawn anew when the window changes.
        width = lambda: page.locator(".plan svg").evaluate("(svg) => svg.getBoundingClientRect().width")
        before = width()
        page.set_viewport_size(NARROW)
        # Polled from here: wait_for_function needs eval inside the page, which the page forbids.
        for _ in range(100):
            if width() < before:
                break
            page.wait_for_timeout(50)
        check("a narrow window has a narrower plan", width() < before, width())
        check("it stays open when the window becomes narrow", "zoo/weigh" in names(), names())
        page.get_by_text("The plan in words").click()
        expect(page.locator("section .tried li").first).to_have_text("zoo/find_pet before zoo/weigh: it gives pet_id")
        page.locator("#mode-search").check(force=True)
        check("a task is a question too", page.locator("#box").input_value() == "feed the pet")
        page.unroute("**/v1/tools/*")
        page.route("**/v1/tools/*", fulfil({**TOOLS, "tools": [], "closest": TOOLS["tools"], "levels": []}))
        find_tools(page)
        expect(page.locator("#answer")).to_contain_text("No tool fits for sure. Closest:")
        check("what is closest is marked as such", page.locator(".hit.unsure").count() == 1)


def missing(browser):
    with browser.page() as page:
        ask(page, QUESTION)
        page.get_by_text("Why is something missing?").click()
        page.locator("#why-not").fill(ENTRY)
        page.get_by_role("button", name="Ask why").click()
        expect(page.locator("article.why")).to_contain_text(f"{ENTRY} is not shown: ")
        check("why an entry is not shown is said", True)
        own = browser.service.found["results"][0]["hits"][0]["id"]
        page.locator("#why-not").fill(own)
        page.keyboard.press("Enter")
        expect(page.locator("article.why")).to_contain_text(f"{own} is shown: it is hit 1.")
        page.locator("#why-not").fill("no/such-thing")
        page.keyboard.press("Enter")
        expect(page.locator("article.why")).to_contain_text("nothing has this id")
        look_up(page, ERROR)
        page.locator("#why-not").fill(ENTRY)
        page.keyboard.press("Enter")
        expect(page.locator("article.why")).to_contain_text(f"{ENTRY} is shown")
        check("that something is shown, or is not there, is said", True)


def filters(browser):
    with browser.page(fails=FAILED) as page:
        ask(page, QUESTION)
        page.locator("#filters summary").click()
        with page.expect_request("**/v1/search") as asked:
            page.locator("#filter-kind").select_option("canon")
        check("a filter is asked with", asked.value.post_data_json["kinds"] == ["canon"], asked.value.post_data)
        with page.expect_request("**/v1/search") as asked:
            page.locator("#filter-type").fill("md, rust")
            page.keyboard.press("Tab")
        check("several values are asked with", asked.value.post_data_json["types"] == ["md", "rust"])
        check("the address remembers filters", page.url.endswith("/?kind=canon&type=md%2C+rust"), page.url)
        check("what is set is said", "2 set" in page.locator("#filter-count").inner_text())
        page.reload()
        expect(page.locator("#filter-kind")).to_have_value("canon")
        kinds = page.locator("#filter-kind option").all_inner_texts()
        offered = ["all", "passages", "known errors", "preferences", "facts", "fixes"]
        check("kinds are offered once each", kinds == offered, kinds)
        check("the question is not in the address, the history or a storage", page.locator("#box").input_value() == "")
        kept = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, history.state, document.title])")
        check("nothing else is kept", "signing" not in kept, kept)
        page.locator("#clear-filters").click()
        expect(page.locator("#filter-kind")).to_be_focused()
        check(
            "filters are cleared", page.url.endswith("/") and page.locator("#filter-type").input_value() == "", page.url
        )
        page.locator("#filter-scope").fill("nowhere")
        ask(page, QUESTION)
        expect(page.locator("#notes")).to_contain_text("nothing is indexed in the scope nowhere")
        check("a scope without a text is answered with nothing and a note", page.locator(".hit").count() == 0)
        page.locator("#clear-filters").click()
        page.locator("#filter-type").fill("no type")
        ask(page, QUESTION)
        expect(page.locator("#trouble")).to_contain_text("no type")
        expect(page.locator("#trouble")).to_contain_text("What helps: ")
        check("a filter that means nothing is said, with what helps", page.locator(".hit").count() == 0)
        page.locator("#mode-lookup").check(force=True)
        check("lookups have their own filters", page.locator("#filter-pack").is_visible())
        with page.expect_request("**/v1/lookup") as asked:
            page.locator("#filter-pack").fill("docker")
            page.keyboard.press("Enter")
        check("lookups are asked with theirs", asked.value.post_data_json.get("packs") == ["docker"])
        page.reload()
        check("the address remembers the mode", page.locator("#mode-lookup").is_checked())


def troubles(browser):
    with browser.page(fails=FAILED) as page:
        expect(page.locator("#answer")).to_contain_text("known error")
        trouble = page.locator("#trouble")
        for answer, said in [
            (fulfil(PROBLEM, 429, {"Retry-After": "7"}), ["The service is busy.", "in 7 seconds"]),
            (fulfil(PROBLEM, 429), ["The service is busy.", "in a moment"]),
            (
                fulfil(PROBLEM, 400),
                ["Wrong usage", "nonsense is no type of files", "What helps: see ken search --help"],
            ),
            (fulfil("<html>", 502), ["status 502"]),
            (fulfil("<html>"), ["cannot be read"]),
            (lambda route: route.abort("connectionrefused"), ["does not answer", "Is ken serve still running?"]),
        ]:
            page.route("**/v1/search", answer)
            ask(page, QUESTION)
            for one in said:
                expect(trouble).to_contain_text(one)
            check(f"a failure is said: {' '.join(said)}", page.locator(".hit").count() == 0)
            page.unroute("**/v1/search")
            trouble.get_by_role("button", name="Try again").click()
            expect(page.locator(".hit").first).to_contain_text("keys.md")
            check("it is tried again when asked for", trouble.inner_text() == "", trouble.inner_text())
            expect(page.locator("#box")).to_be_focused()
        page.route("**/v1/status", lambda route: route.abort("connectionrefused"))
        page.locator("#open-status").click()
        expect(trouble).to_contain_text("does not answer")
        check("a status that cannot be read is said", page.locator("#status").is_hidden())


def status(browser):
    with browser.page() as page:
        page.locator("#open-status").click()
        body = page.locator("#status-body")
        expect(body).to_contain_text("known errors")
        check(
            "the status says what is indexed", "Every file is as it was indexed" in body.inner_text(), body.inner_text()
        )
        page.keyboard.press("Escape")
        expect(page.locator("#open-status")).to_be_focused()
        page.route("**/v1/status", fulfil(browser.service.stale_status()))
        page.locator("#open-status").click()
        expect(body).to_contain_text("30 files changed")
        for one in ["and 10 more", "1 file gone", "another@1", "Writing now", "1 file is gone", "Traces"]:
            expect(body).to_contain_text(one)
        page.locator("#close-status").click()
        check("the status says what is stale", page.locator("#status").is_hidden())


def by_keyboard(browser):
    with browser.page() as page:

        def focused(what):
            return page.evaluate(f"document.activeElement.matches({json.dumps(what)})")

        def is_visible():
            # The outline of a mode is that of its label.
            seen = """(at) => [at, at.nextElementSibling].some((one) =>
                one && getComputedStyle(one).outlineStyle === 'solid')"""
            return page.locator(":focus").evaluate(seen)

        def at_hit(at):
            return page.locator(".hit").nth(at).evaluate("(hit) => hit === document.activeElement")

        expect(page.locator("#box")).to_be_focused()
        # What is asked while one types has an answer too; the keys below are for that to the whole question.
        is_last = lambda answer: "v1/search" in answer.url and QUESTION in (answer.request.post_data or "")
        with page.expect_response(is_last):
            page.keyboard.type(QUESTION)
        expect(page.locator(".hit").first).to_contain_text("keys.md")
        page.keyboard.press("ArrowDown")
        check("an arrow goes to the first hit", at_hit(0))
        check("the focus is visible at a hit", is_visible())
        page.evaluate("() => document.querySelector('.hit').setAttribute('data-old', '')")
        page.evaluate("() => document.querySelector('#go').click()")
        expect(page.locator(".hit").first).not_to_have_attribute("data-old", "")
        check("the focus stays at the hit when a later answer comes", at_hit(0))
        page.keyboard.press("Enter")
        expect(page.locator(".hit").first.locator(".signals")).to_be_visible()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".hit").first.get_by_role("button").first).to_have_text("Copied")
        check("a place is copied by key", clipboard(page).endswith("keys.md:3"), clipboard(page))
        page.keyboard.press("ArrowUp")
        check("an arrow goes back to the box", focused("#box"))
        page.route("**/v1/search", fulfil(browser.service.stale()))
        page.keyboard.press("Enter")
        expect(page.locator(".hit")).to_have_count(4)
        for at in [0, 1, 2, 3, 3]:
            page.keyboard.press("ArrowDown")
            check(f"an arrow goes to hit {at + 1}", at_hit(at))
        page.keyboard.press("/")
        check(
            "the slash goes to the box and selects it", focused("#box") and page.evaluate("getSelection().toString()")
        )
        page.keyboard.type("a/b")
        check("a slash in the box is a slash", page.locator("#box").input_value() == "a/b")
        page.keyboard.press("Escape")
        check("Escape clears", page.locator("#box").input_value() == "" and page.locator(".hit").count() == 0)
        order = ["#go", "#filters summary", "#missing summary", "#open-status"]
        reached = []
        for _ in range(12):
            page.keyboard.press("Tab")
            reached += [one for one in order if focused(one)]
            check(
                "the focus is visible",
                focused("body") or is_visible(),
                page.evaluate("document.activeElement.outerHTML"),
            )
        check("everything is reached by Tab", set(order) == set(reached), reached)
        page.locator("#open-status").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#status-body")).to_contain_text("known errors")
        page.keyboard.press("Escape")
        check("the status opens and closes by key", page.locator("#status").is_hidden() and focused("#open-status"))
        page.locator("#mode-search").focus()
        page.keyboard.press("ArrowRight")
        check("an arrow changes the mode", page.locator("#mode-lookup").is_checked() and focused("#mode-lookup"))
        page.keyboard.press("/")
        page.keyboard.type(ERROR)
        expect(page.locator(".finding")).to_have_count(1)
        page.keyboard.press("ArrowDown")
        check("an arrow goes to the first answer", focused(".finding .hit"))
        page.keyboard.press("Control+ArrowUp")
        check("keys with another one are the browser's", focused(".finding .hit"))


def hostile(browser):
    """Script in every field that comes from documents, logs, packs or the service is text, and only that."""
    for bypass_csp in [False, True]:
        with browser.page(fails=FAILED, bypass_csp=bypass_csp) as page:
            for name, path, answer, status_code in poisoned(browser.service):
                payloads = {}

                def poison(field):
                    payloads.setdefault(field, HOSTILE.format(len(payloads)))
                    return payloads[field]

                answer = walk(answer, poison)
                for finding in answer.get("results", []):
                    for hit in finding["hits"]:
                        if "captures" in hit:
                            hit["references"].append("javascript:ran('link')")
                            payloads["captures, name"] = HOSTILE.format("captures")
                            hit["captures"] = {payloads["captures, name"]: payloads["results.hits.captures.x"]}
                page.route(f"**/v1/{path}", fulfil(answer, status_code))
                if path.startswith("outcomes"):
                    show_failures(page)
                elif path.startswith("tools"):
                    find_tools(page)
                elif path == "status":
                    page.locator("#open-status").click()
                    expect(page.locator("#status-body dl")).to_be_visible()
                else:
                    page.locator(f"#mode-{path}").check(force=True)
                    ask(page, QUESTION)
                page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
                shown = page.locator("#status-body" if path == "status" else "#results").text_content()
                hidden = {field for field, payload in payloads.items() if payload not in shown}
                check(f"{name}: every field is shown literally", hidden == NOT_SHOWN[name], hidden ^ NOT_SHOWN[name])
                made = page.locator("img, iframe, script ~ script, main script, dialog script").count()
                check(f"{name}: no field became an element", made == 0, made)
                links = page.evaluate("[...document.links].map((link) => link.protocol)")
                check(f"{name}: no link leads to a script", set(links) <= {"http:", "https:"}, links)
                if path == "status":
                    page.locator("#close-status").click()
                page.unroute(f"**/v1/{path}")
            check("nothing ran" + bypass_csp * ", without the policy either", page.evaluate("window.ranWith") == [])


def hidden(browser):
    """Characters that move, reorder or hide are not shown, and not copied."""
    marks = "\u202e\u2066\u200b\u00ad\x07\x1b\x9b\u2028\ufeff\U000e0041"
    with browser.page() as page:
        known = copy.deepcopy(browser.service.known)
        for finding in known["results"]:
            for hit in finding["hits"]:
                hit.update(title=f"a{marks}b", cause=f"c{marks}d", fix=[f"Run `git {marks}push`."])
        page.route("**/v1/lookup", fulfil({**known, "notes": [f"e{marks}f"]}))
        look_up(page, ERROR)
        shown = page.locator("#results").text_content()
        check("what hides is not shown", not set(marks) & set(shown) and "ab" in shown and "ef" in shown, ascii(shown))
        named = page.locator(".steps button").first.get_attribute("aria-label")
        check("what hides is in no name", named == "Copy git push", ascii(named))
        page.locator(".steps button").first.click()
        expect(page.locator(".steps button").first).to_have_text("Copied")
        check("what hides is not copied", clipboard(page) == "git push", ascii(clipboard(page)))
        found = copy.deepcopy(browser.service.found)
        found["results"][0]["hits"][0]["path"] = "a\n\u202eb c.md"
        page.route("**/v1/search", fulfil(found))
        page.locator("#mode-search").check(force=True)
        ask(page, QUESTION)
        place = page.locator(".hit code").first.inner_text()
        check("a path says what is hidden in it", place == "a\\u{a}\\u{202e}b c.md:3", place)


# Fields of the answers that the page does not show: names of kinds and tiers, which it has words for, and hashes.
NOT_SHOWN = {
    "search": {"results.error.headline", "results.error.fingerprint", "results.verdict", "results.semantic"}
    | {"results.hits.tier", "results.why_not.stage"},
    "candidates": {"results.error.headline", "results.error.fingerprint", "results.verdict", "results.semantic"},
    "lookup": {"results.error.fingerprint", "results.verdict", "results.semantic", "results.hits.kind"}
    | {"results.also_seen.id", "results.why_not.stage", "results.hits.role"},
    "problem": {"type", "kind"},
    "status": set(),
    "failures": {"failures.scope", "failures.error_fingerprint"},
    "tools": {f"tools.{one}" for one in ["name", "server", "parameters.kind", "results.name", "results.kind", "tags"]}
    | {"capabilities.tools", "capabilities.because", "edges.because.kind", "edges.because.name", "missing.type"},
}


FAILED_BEFORE = [{"id": "x", "text": "x", "failed": 2, "sessions": 1, "last_at": 0}]
# What a memory rests on.
MEMORY = {
    "scope": "x",
    "authority": "x",
    "source": "x",
    "validated": False,
    "confidence": 75,
    "sessions": 2,
    "last_at": 0,
    "trial": {"worked": 3, "failed": 1, "at_least": 0.3},
}


def poisoned(service):
    """Answers with a text in every field that there is: a name, the route, the answer, its status."""
    explain = {**service.found["results"][0]["hits"][0]["explain"], "matched": "x"}
    why_not = {
        "id": "x",
        "stage": "gate",
        "reason": "x",
        "relevance": 0.1,
        "gate": 0.4,
        "margin": -0.3,
        "signals": None,
    }
    layer = {"source": "x", "overrides_canon": True, "override_reason": "x", "explain": explain}
    found = copy.deepcopy(service.found)
    [hit, *_] = found["results"][0]["hits"]
    entry = {key: value for key, value in hit.items() if key not in ("excerpt", "path", "state")}
    found["results"][0].update(hits=[{**hit, **layer}, {**entry, **layer, "memory": MEMORY}], why_not=why_not)
    near = service.nothing("search", [{**one, "explain": explain} for one in service.near()])
    known = copy.deepcopy(service.known)
    for finding in known["results"]:
        for hit in finding["hits"]:
            hit.update(layer, variants=["x"], captures={"x": "x"}, references=["x"], other_steps=1, role="warning")
            hit.update(destructive=[{"step": 1, "loses": "x"}])
            hit.update(memory=MEMORY)
        finding.update(failed=FAILED_BEFORE)
        finding.update(also_seen=[{"id": "x", "title": "x", "line_start": 1}], rejected=["x"], why_not=why_not)
    named = {"items": {HOSTILE.format("kind"): 1}, "folders": [{"path": "x", "files": 1}], "unreadable": ["x"]}
    status = {**service.stale_status(), **named}
    yield "search", "search", {**found, "notes": ["x"]}, 200
    yield "candidates", "search", near, 200
    yield "lookup", "lookup", {**known, "notes": ["x"]}, 200
    yield "problem", "search", PROBLEM, 400
    yield "problem", "lookup", PROBLEM, 500
    yield "failures", "outcomes?*", FAILURES, 200
    yield "tools", "tools/*", TOOLS, 200
    yield "status", "status", status, 200


def states(browser):
    """All states of the page, each with what leads to it."""
    service = browser.service

    def hits(page):
        ask(page, QUESTION)
        page.locator(".hit summary").first.click()

    def shows(kind, answer, status=200, headers=None):
        def go(page):
            page.route(f"**/v1/{kind}", fulfil(answer, status, headers))
            (ask if kind == "search" else look_up)(page, QUESTION)
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

        return go

    def show_failed(answer):
        def go(page):
            page.route("**/v1/outcomes?*", fulfil(answer))
            show_failures(page)
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

        return go

    def show_tools(answer):
        def go(page):
            page.route("**/v1/tools/*", fulfil(answer))
            find_tools(page)
            page.get_by_role("button", name="2 tools used together").click()
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

        return go

    def open_status(page):
        page.route("**/v1/status", fulfil(service.stale_status()))
        page.locator("#open-status").click()
        expect(page.locator("#status-body")).to_contain_text("Stale")

    def busy(page):
        page.route("**/v1/search", browser.hold)
        page.locator("#box").fill(QUESTION)
        expect(page.locator("#busy.on")).to_have_count(1)

    long = "w" * 300
    wide = copy.deepcopy(service.stale())
    for hit in wide["results"][0]["hits"]:
        hit.update(title=long, path=f"/{long}/{long}.md", excerpt={"line_start": 1, "lines": [long, "a " * 200]})
    yield "welcome", lambda page: expect(page.locator("#answer")).to_contain_text("known error")
    yield "welcome of lookup", lambda page: page.locator("#mode-lookup").check(force=True)
    yield "hits", hits
    yield "stale hits with notes", shows("search", service.stale())
    yield "hits with long words", shows("search", wide)
    yield "candidates", shows("search", service.nothing("search", service.near()))
    yield "nothing", shows("search", service.nothing("search"))
    yield "lookup", lambda page: look_up(page, ERROR)
    yield "lookup of a log", shows("lookup", {**service.known, "notes": ["x"]})
    learnt = copy.deepcopy(service.known)
    learnt["results"][0].update(failed=FAILED_BEFORE)
    learnt["results"][0]["hits"][0].update(memory=MEMORY)
    yield "lookup of what was learnt", shows("lookup", learnt)
    yield "lookup with all fields", shows("lookup", next(one for one in poisoned(service) if one[0] == "lookup")[2])
    yield "failures of tools", show_failed(FAILURES)
    long_words = [{**one, "tool": long, "example": f"{long}\n{long}", "overcome": long} for one in FAILURES["failures"]]
    yield "failures with long words", show_failed({**FAILURES, "failures": long_words})
    yield "no failures", show_failed({**FAILURES, "failures": []})
    yield "tools and their plan", show_tools(TOOLS)
    words = json.loads(json.dumps(TOOLS).replace("zoo/find_pet", long).replace("Finds", long))
    yield "tools with long words", show_tools(words)
    yield "problem", shows("search", PROBLEM, 400)
    yield "too many requests", shows("search", PROBLEM, 429, {"Retry-After": "7"})
    yield "wrong token", shows("search", PROBLEM, 401)
    yield "status", open_status
    yield "busy", busy


def everywhere(browser):
    for name, go in states(browser):
        for scheme in ["light", "dark"]:
            with browser.page(scheme=scheme, fails=FAILED) as page:
                go(page)
                page.evaluate(browser.axe)
                found = page.evaluate("axe.run({ rules: { 'target-size': { enabled: true } } })")
                faults = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
                check(f"{name}, {scheme}: axe finds nothing ({len(found['passes'])} rules)", not faults, faults)
        with browser.page(size=NARROW, fails=FAILED) as page:
            go(page)
            outside = """[...document.querySelectorAll('body *')].filter((one) => !one.closest('.unseen')
                && one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML.slice(0, 80))"""
            found = page.evaluate(outside)
            width = page.evaluate("document.documentElement.scrollWidth")
            check(f"{name}: nothing lies outside of 320 pixels", width <= 320 and not found, (width, found))


def looks(browser):
    grounds = []
    for scheme in ["light", "dark"]:
        with browser.page(scheme=scheme) as page:
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            expect(page.locator("#box")).to_have_css("color-scheme", "light dark")
    light, dark = [int(one.split("(")[1].split(",")[0]) for one in grounds]
    check("light is light and dark is dark", light > 200 and dark < 60, grounds)
    for motion, name in {"no-preference": "across", "reduce": "none"}.items():
        with browser.page(reduced_motion=motion) as page:
            page.route("**/v1/search", browser.hold)
            page.locator("#box").fill(QUESTION)
            expect(page.locator("#busy.on")).to_have_count(1)
            moves = page.evaluate("getComputedStyle(document.getElementById('busy'), '::before').animationName")
            check(f"motion is as wished: {motion}", moves == name, moves)


PARTS = [with_token, without_token, policy, as_one_types, in_order, search, nothing_sure, lookup, failures, tools]
PARTS += [missing, filters, troubles, status, by_keyboard, hostile, hidden, looks, everywhere]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True, help="where the service listens")
    parser.add_argument("--token", required=True, help="a token of it")
    parser.add_argument("--axe", required=True, type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser")
    parser.add_argument("--only", choices=[part.__name__ for part in PARTS], help="check this part alone")
    args = parser.parse_args()
    service = Service(args.url, args.token)
    with sync_playwright() as playwright:
        # As root, as in containers, Chromium starts without its sandbox only. It opens no page but ours.
        chromium = playwright.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        browser = Browser(chromium, service, args.axe.read_text())
        for part in PARTS:
            if args.only in (None, part.__name__):
                part(browser)
        chromium.close()


if __name__ == "__main__":
    main()
