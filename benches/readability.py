"""Reading grade of Markdown files (Flesch-Kincaid), from their prose alone: no code, tables, headings or pictures.

    python3 benches/readability.py README.md docs/*.md

Code in a sentence counts as one word. A colon or semicolon between clauses ends a sentence. Syllables are estimated as
groups of vowels. Formula: Kincaid et al., 1975.
"""

import re
import sys


def paragraphs(text):
    """Prose of a Markdown text: one string for each paragraph and each item of a list."""
    text = re.sub(r"(?s)(`{3,}).*?\1", "", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n", text):
        block = block.strip()
        if not block or block[0] in "#|":
            continue
        for item in re.split(r"(?:^|\n)- ", block):
            item = re.sub(r"`[^`]*`", "code", " ".join(item.split())).replace("**", "")
            if item:
                yield item if item[-1] in ".!?:" else item + "."


def syllables(word):
    """Groups of vowels, without endings that are silent."""
    word = re.sub(r"[^a-z]", "", word.lower())
    count = len(re.findall(r"[aeiouy]+", word))
    silent = (word.endswith("e") and not word.endswith("le")) or re.search(r"[^td]ed$", word)
    return max(1, count - 1 if silent and count > 1 else count)


for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        prose = " ".join(paragraphs(file.read()))
    sentences = [part for part in re.split(r"(?<=[.!?:;])\s+", prose) if re.search("[A-Za-z]", part)]
    words = re.findall(r"[A-Za-z][A-Za-z'-]*", prose)
    grade = 0.39 * len(words) / len(sentences) + 11.8 * sum(map(syllables, words)) / len(words) - 15.59
    print(f"{name}: {len(words)} words, {len(sentences)} sentences, grade {grade:.1f}")
