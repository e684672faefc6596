//! How a person says that they like, avoid or do things, and what may be inferred from a choice.

use super::{ROW, Rule};
use crate::memory::extract::found::{Confidence, Kind};

const BASE: Rule = Rule { kind: Some(Kind::Preference), ..ROW };

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "I prefer",
        takes_questions: true,
        pattern: r"\b(?:i|we|my \w+|personally)(?:'ve| have|'d| would| do| also| really| strongly| usually| generally| typically| normally| always| much| still| just| mostly| personally| often| would| definitely| tend to| mainly| both| all| greatly| particularly| honestly){0,3} (?:prefer(?:red)?|favou?r|rather (?:not|have|use|avoid|stay|do|go|read|work|see|keep|be|spend))\b|\b(?:my|our) (?:(?:strong|personal|usual|own|general) )?(?:preference|preferred|favou?rite|go-to|taste)\b|\b(?:have|had|with) (?:a |an |my )?(?:\w+ )?(?:preference|aversion|dislike|distaste|weakness|passion|allerg(?:y|ies)|intolerance|fondness|soft spot|phobia|fear) (?:for|to|of|against|towards?)\b|\bpreferably\b|\bi(?:'m| am) (?:a |an )?(?:\w+ )?(?:partial to|drawn to|more of an?|big on|picky (?:about|with)|particular about|keen on|fond of)",
        unless: r"\bif (?:you|we|they) (?:would )?prefer|\b(?:would|do) you prefer",
        yes: &[
            "I prefer tabs",
            "We usually prefer small commits.",
            "I'd rather not use an ORM",
            "My preferred shell is fish",
            "I have a strong aversion to mocks",
            "Do you have something cheaper, I usually prefer the train?",
            "I'm drawn to quiet places",
        ],
        no: &["Would you prefer tabs?", "rather slow", "We can do it as you prefer", "if you prefer, keep it"],
        ..BASE
    },
    Rule {
        name: "I like or dislike",
        takes_questions: true,
        pattern: r"\b(?:i|we)(?:'ve| have| do| also| really| strongly| usually| generally| typically| normally| always| absolutely| especially| particularly| just| genuinely| truly| honestly| personally| often| never| actively| tend to| still| rarely| seldom){0,3} (?:like|love|enjoy|hate|dislike|detest|loathe|despise|avoid|adore|can't (?:stand|bear|tolerate|do|eat|have|handle)|cannot (?:stand|bear|tolerate|eat|have|handle)|(?:do|did|would)(?:n't| not)(?: really| usually| particularly| generally| typically| normally| ever| even| actually| much| personally| at all)* (?:like|enjoy|eat|drink|care for|trust|believe in|watch|listen|read|support|appreciate|tolerate|feel comfortable|wear|play|buy|use|consume|drive|do well|get along|go for|attend|stay|travel|shop|find|respond|resonate|have (?:any|much) interest)|refuse|steer clear|stay away|shy away|stick (?:to|with)|lean (?:toward|more)|gravitate|can do without|value|treasure|appreciate (?:when|it when|\w+ing)|struggle with|have (?:trouble|difficulty|a hard time|no interest)|get (?:bored|anxious|nauseous|overwhelmed|motion sick|distracted|sick)|find (?:\S+ ){1,7}?(?:(?:a bit|to be|too|very|so|quite|really|pretty|rather|more|less|overly|extremely|most) \w+|\w+(?:ing|ive|ful|ous|ible|able)|hard|difficult|dull|easier|better|best|tiresome|uncomfortable|off-putting|unpleasant))\b",
        unless: r"\b(?:like|love|enjoy|appreciate|adore|hate|value) (?:the |that |this |your |these |those |all |both )*(?:idea|ideas|suggestions?|sound|look|looks|concept|approach|thought|recommendations?|advice|plan|option|it|that|this|them|these|those|how|help|point|tips?)\b|\b(?:would|'d) (?:\w+ )?(?:like|love|enjoy|hate|appreciate|value) (?:to\b|it if|a\b|an\b|some|any|your|the|if|more|help|that|this)|\b(?:do|would|did|if) you (?:\w+ )?(?:like|enjoy|love)|\b(?:looks?|sounds?|feels?|something|anything|things?|just|more|seems?|acts?) like\b|\bdon't (?:find|have|see|use) (?:it|that|this|any(?:thing)?)\b[.!]?$",
        yes: &[
            "I like short functions",
            "I hate meetings on Mondays",
            "We can't stand long builds",
            "I don't eat meat",
            "I really don't enjoy crowded places",
            "I refuse to use macros",
            "I find flashcards boring",
            "I try it, but I avoid dairy.",
        ],
        no: &[
            "I like the idea of catering!",
            "I would like to see it",
            "I'd love to hear more",
            "it looks like rain",
            "Do you like it?",
            "I love that suggestion!",
        ],
        ..BASE
    },
    Rule {
        name: "I am such a person",
        takes_questions: true,
        pattern: r"\b(?:i|we)(?:'m| am|'re| are|'ve been| have been| was)(?: also| really| quite| very| a bit| pretty| rather| just| strongly| severely| extremely| highly| somewhat| usually| always| generally| a little| too){0,2} (?:not |never )?(?:(?:really|much of|that|quite|too|very|particularly|usually|typically|generally|exactly|a (?:big|huge|great)|all that) )*(?:(?:a |an )?(?:\w+ )?(?:fan|lover|enthusiast|person|believer|vegan|vegetarian|pescatarian|learner|reader|minimalist|introvert|traveler|purist|snob)\b|allergic|intolerant|sensitive (?:to|about)|averse|uncomfortable|(?:un)?comfortable (?:with|using|in|around)|afraid|scared|terrified|claustrophobic|wary|skeptical|sceptical|into\b|keen on|fond of|big on|passionate about|concerned (?:about|with)|committed to|opposed|against|tired of|sick of|prone to|vegan|vegetarian|diabetic|colou?r-?blind|dyslexic|gluten-free|lactose|conscious|mindful of|cautious)\b|\bas someone (?:who|with)\b",
        unless: r"\bi(?:'m| am) afraid (?:that|so|not|i|we|it)\b",
        yes: &[
            "I'm not a fan of monorepos",
            "I am allergic to peanuts",
            "we're vegetarian",
            "I'm a visual learner",
            "I'm not really into horror",
            "I'm uncomfortable with heights",
        ],
        no: &["I'm interested in learning more", "I'm afraid it fails", "I am here", "we're done"],
        ..BASE
    },
    Rule {
        name: "I always or never",
        takes_questions: true,
        pattern: r"\b(?:i|we)(?:'ve| have)? (?:always|usually|typically|generally|normally|mostly|tend to|never|rarely|seldom|only ever|exclusively|only (?:use|eat|buy|read|watch|listen|wear|drink|drive|stay|travel|play|support|shop|work|want|write|commit|deploy|like)|try to (?:avoid|keep|stick|limit|use|eat|buy|choose|minimi[sz]e|stay|balance|support|focus)|make (?:it a point|a point|sure to always)|like to keep|opt for|go for|insist on|rely on|swear by|live by|follow (?:a|an|the)|need (?:my|things|everything|something|an? \w+ (?:that|with)))\b",
        unless: r"\bi(?:'ve| have) (?:always|never) (?:wanted|wondered|been (?:to|curious|wondering)|heard|seen|tried|thought|had|done|known|experienced|considered|really (?:thought|considered))|\bi never (?:knew|thought|said|heard|got|asked|realized|considered|mind)\b|\bwe never (?:knew|got)",
        yes: &[
            "I always squash",
            "We never deploy on Fridays",
            "I tend to learn by doing",
            "I only buy cruelty-free brands",
            "I try to avoid sugar",
            "We usually review in pairs",
        ],
        no: &["I never knew that", "I've always wanted to go", "it always fails", "I've never been to Paris"],
        ..BASE
    },
    Rule {
        name: "not my thing",
        takes_questions: true,
        pattern: r"(?:\bnot|n't|\bnever)(?: really| quite| exactly| usually| particularly| typically| very| so| at all)? (?:my (?:thing|style|cup|taste|kind|type|preference|speed|jam|idea|interests?)|for me\b|appeal|interest me|interest us|suit(?:s|able)?|fit|align|match|resonate|sit well|work (?:well )?for (?:me|us)|(?:really )?(?:what i(?:'m| am) (?:looking|after)|up my alley)|in (?:the mood|line)|as (?:appealing|interesting|engaging|comfortable)|ideal|agree with me|go with my|seem (?:to )?(?:like|as|align|fit|suit|match|appeal|suitable))|\b(?:too|a bit|overly|a little|rather|quite|very) [\w-]+(?: (?:and|or|for) [\w-]+)* for (?:me|us|my|our)\b|\bmore (?:to )?(?:my|our) (?:style|taste|liking|speed|alley|preference|interests?)\b|\b(?:suits?|fits?|matches|aligns? (?:\w+ )?with|appeals? (?:\w+ )?to|works? (?:best|better|well)|meets?|caters? to|resonates? with)(?: for| with| to)? (?:me|us|my|our)\b|\b(?:important|essential|crucial|a (?:priority|must|deal[- ]?breaker)|necessary|non-negotiable|key) (?:to|for) (?:me|us)\b|\b(?:makes?|gives?|leaves?|leaving|making|giving) me (?:feel(?:ing)?|anxious|nauseous|uncomfortable|nervous|sick|dizzy|stressed|sad|angry|unhappy|tired|sleepy|itchy|(?:a |the )?(?:headaches?|anxiety|creeps|nausea|rash))\b|\b(?:triggers?|bothers?|annoys?|irritates?|stresses) (?:me|my)\b|\b(?:i(?:'ll| will| would|'d)?|we(?:'ll| will)?) (?:rather )?(?:pass on|do without)\b|\b(?:others?|options?|alternatives?|choices|ones)\b.* (?:seems?|feels?|sounds?|looks?|is|are|be|get)(?: like)?(?: \w+){0,2} (?:too|overly) [\w-]+|\bhold my (?:attention|interest)|\bthan what i(?:'m| am) (?:looking|after)|\b(?:effective|engaging|enjoyable|comfortable|appealing|interesting|useful|valuable|suitable|accessible|practical|helpful|natural|easier|better|safe|safer) (?:\w+ )?(?:for|to) (?:me|us)\b|\b(?:due to|because of|given) my\b|\b(?:out of|outside) my (?:comfort|budget)\b|\bi(?:'d| would) (?:feel|be) (?:more|less|un)?\w* ?comfortable\b",
        yes: &[
            "The other options don't really appeal to me.",
            "horror isn't my thing",
            "it's a bit too loud for my taste",
            "VR makes me nauseous",
            "That suits my style",
            "privacy is important to me",
            "due to my dyslexia I skip long texts",
        ],
        no: &["It isn't ready", "This is for me to do", "The wait is long", "It makes sense"],
        ..BASE
    },
    Rule {
        name: "our convention",
        pattern: r"^(?:(?:ok|so|and|but|also|btw|by the way|yes|no|well|here|in this (?:repo|project|codebase)|for this (?:repo|project)|at (?:work|our company)|currently|in general|generally|internally)[,.! ]+)*(?P<what>(?:(?:our|my|the (?:team|project|repo|house|company)(?:'s)?) (?:\w+ ){0,2}(?:convention|rule|policy|standard|style|practice|guideline|workflow|naming|setup|habit|default|stack|process)s? (?:is|are|says?|requires?|for|uses?|:|has|here)\b.+|(?:we|i) (?:(?:all|also|mostly|mainly|only|always|now|currently|still|generally|usually|don't|do not|do|never) )*(?:use|write|name|call|keep|follow|deploy|release|merge|squash|rebase|store|put|test|lint|format|run|target|support|pin|prefix|commit|tag|review|work (?:with|in|on)|ship|publish|host|build) .{3,}))",
        unless: r"^(?:we|i) (?:use|put|keep|call|run|name|test|store|write|work (?:with|in|on)) (?:it|this|that|them|those|these)\b|\b(?:i|we) (?:run|build|test) (?:it|the|this|into|out)\b|\b(?:when|if|after) (?:i|we) run\b",
        yes: &[
            "We use pnpm",
            "our convention is snake_case",
            "Our naming rule is verb first",
            "we don't use submodules",
            "By the way, we squash all merges",
            "My stack is Django and htmx",
        ],
        no: &["we use it", "I run into an error", "the convention hall", "Can we use pnpm?"],
        ..BASE
    },
    Rule {
        name: "a choice with its reason",
        takes_questions: true,
        confidence: Confidence::Low,
        pattern: r"\b(?:i|we)(?:'ll| will|'d| would| think i(?:'ll| will| would|'d))(?: probably| definitely| just| rather| most likely| likely| have to| go ahead and| be| love to| like to| choose to)* (?:go(?:ing)? (?:with|for)|take|choose|pick|opt(?:ing)? for|stick with|select|try|lean|start with|enjoy|prefer)\b.{4,}|\b(?:option|number|choice) (?:#? ?\d|[a-d]|one|two|three|four)\b.*|\b(?:the )?(?:first|second|third|fourth|last|former|latter)(?: option| one| choice)? (?:sounds|seems|looks|is|works|appeals)\b.*|\b(?:sounds?|seems?|looks?|would be|is|are) (?:like )?(?:the )?(?:a |an )?(?:\w+ )?(?:perfect|ideal|best|great|most appealing|good|better|right up|more (?:appealing|suitable|interesting|engaging|\w+))(?: (?:fit|choice|option|match|idea|way))?(?: for (?:me|us|my|our)|to me|\b).{0,300}",
        unless: r"^(?:(?:that|this|it|these|those|they|all|both|everything|which)(?:'s|'re| all| both)? (?:really )?(?:sounds?|seems?|looks?|would be|is|are|a)\b|(?:sounds?|looks?) (?:good|great|perfect|fine))|\bi(?:'ll| will) (?:try|take) (?:it|that|this|them|those|these|some of|a look|to)\b|^(?:those|these|all)(?: all)? sound|\?\s*$",
        yes: &[
            "I'll go with option 2, the indie bands.",
            "I think I'll take the second one since it is quiet",
            "Option 3 sounds good to me",
            "The hike in the hills sounds like a great idea.",
        ],
        no: &[
            "That sounds great!",
            "Sounds good",
            "I'll try it",
            "These all sound great!",
            "Which option is best for me?",
        ],
        ..BASE
    },
    Rule {
        name: "our things",
        kind: Some(Kind::Fact),
        confidence: Confidence::Low,
        pattern: r"^(?:(?:ok|so|and|but|also|btw|by the way|yes|no|well)[,.! ]+)*(?P<what>(?:our|my) (?:[\w./-]+ ){1,4}(?:is|are|runs?|lives?|uses?|has|have|expires?|listens?|requires?|needs?|comes?|sits?|starts?|takes?)\b .{3,})",
        unless: r"\b(?:question|problem|issue|guess|understanding|idea|plan|goal|concern|suggestion|point|answer|code|next \w+|thought)s? (?:is|are|has)\b|\?$",
        yes: &["Our staging database runs on port 5433", "my laptop has 16 GB", "our CI uses self-hosted runners"],
        no: &["My question is simple enough", "our goal is to win", "my plan is to go", "Is our server up?"],
        ..BASE
    },
];
