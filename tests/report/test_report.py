"""The page of a run: whole, self-contained, escaped, and true to the events."""

import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
import report_samples as samples

from envwright.recipe.events import Event, Finished, Judged
from envwright.recipe.versions import Files
from envwright.report import page, write_report
from envwright.report.page import PARTS
from envwright.report.timeline import timeline
from envwright.verifier import contract as contracts

VOID = {"meta", "br"}


class Structure(HTMLParser):
    """What a page is made of; `faults` are tags that do not close what they should."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.heads: list[dict[str, str | None]] = []
        self.sections: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        given = dict(attrs)
        if "id" in given:
            self.ids.append(str(given["id"]))
        if tag == "a":
            self.links.append(str(given["href"]))
        if tag == "th":
            self.heads.append(given)
        if tag not in VOID:
            self.open.append(f"{tag}#{given['id']}" if tag == "section" else tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1].partition("#")[0] != tag:
            self.faults.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for place in self.open:
            if place.startswith("section#"):
                self.sections[place[8:]] = self.sections.get(place[8:], "") + data


def make(events: list[Event], files: Files = samples.FILES, contract: str = "") -> str:
    return page("blackjack", samples.INTERFACE, events, files, contracts.read(contract) if contract else None)


RUNS = {
    "finished": samples.finished(),
    "begun": samples.begun(),
    "handed over": samples.handed_over(),
    "hostile": samples.hostile(),
    "only begun": [samples.BEGAN],
    "nothing": [],
}


@pytest.mark.parametrize("name", RUNS)
def test_every_tag_closes_and_every_link_leads_somewhere(name: str) -> None:
    found = Structure(make(RUNS[name]))
    assert not found.faults
    assert not found.open
    assert len(found.ids) == len(set(found.ids))
    assert {f"#{id}" for id in PARTS} == set(found.links)
    assert set(PARTS) <= set(found.ids)


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_fetched_and_nothing_is_executed(name: str) -> None:
    text = make(RUNS[name])
    found = Structure(text)
    assert found.tags["script"] == found.tags["img"] == found.tags["link"] == found.tags["iframe"] == 0
    for tag, attribute, value in found.attributes:
        assert not attribute.startswith("on"), (tag, attribute)
        assert attribute not in ("src", "srcset", "style", "data", "action")
        assert attribute != "href" or str(value).startswith("#")
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_the_same_events_give_the_same_bytes() -> None:
    assert make(samples.finished()) == make(samples.finished())


def test_tables_say_what_their_heads_are_for_and_pictures_what_they_show() -> None:
    text = make(samples.finished())
    assert {head.get("scope") for head in Structure(text).heads} == {"col", "row"}
    pictures = re.findall(r"<svg[^>]*>", text)
    assert pictures
    assert all('role="img"' in picture and "aria-label=" in picture for picture in pictures)


def test_what_an_agent_wrote_is_shown_as_text() -> None:
    text = make(samples.hostile(), {"fast_blackjack/x.py": "</pre><script>alert(1)</script>"})
    assert "<script" not in text
    assert "<img" not in text
    assert "\x1b" not in text
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


# ---- what it says ----


def test_a_verified_run_says_so_with_its_numbers() -> None:
    text = make(samples.finished())
    assert "Verified</p>" in text
    assert "9 of 9 checks, 25,050 comparisons, no difference" in text
    found = Structure(text).sections
    assert "4 passed" in found["ladder"]
    assert "19,624" not in found["ladder"]
    assert "24,624 compared" in found["ladder"]
    assert "4,771 times as fast (95% of the bootstrap: 4,602 to 4,893)" in found["speed"]
    assert "$0.75 of $10.00 spent" in found["cost"]


@pytest.mark.parametrize(
    ("events", "files", "word"),
    [
        (samples.begun(), samples.FILES, "Not verified: the run has not ended"),
        (samples.handed_over(), samples.FILES, "Not verified: handed over"),
        ([*samples.repaired(), Finished("out of money", "No money.")], samples.FILES, "Not verified: out of money"),
        # Said to be verified, without a judgement that says so of these files.
        ([*samples.repaired(), Finished("verified")], samples.FILES, "Not verified: the files on this page are not"),
        (samples.finished(), {**samples.FILES, "fast_blackjack/cards.py": "x = 1"}, "Not verified: the files on"),
        (
            [*samples.finished(), Judged("later", "whole", False, (), "cards", "x"), Finished("out of money")],
            {"fast_blackjack/cards.py": "x = 1"},
            "Not verified: out of money",
        ),
    ],
)
def test_only_files_that_passed_unseen_games_are_verified(events: list[Event], files: Files, word: str) -> None:
    text = make(events, files)
    assert word in text
    assert ">Verified<" not in text


def test_an_unfinished_run_shows_what_is_wrong() -> None:
    found = Structure(make(samples.begun())).sections
    assert "1 of 2 not passed" in found["ladder"]
    assert "smallest input: player = [10, 10]" in found["ladder"]
    assert "Not measured." in found["speed"]
    assert "no version of it passed the games that nobody saw" in found["unverified"]


def test_what_is_wrong_is_that_of_the_version_that_stands_not_of_one_rolled_back() -> None:
    found = Structure(make(samples.handed_over())).sections
    assert "smallest input: player = [10, 10]" in found["ladder"]
    assert "212 differ" not in found["ladder"]
    assert "A person is asked for dealer" in found["story"]


def test_what_the_contract_excepts_is_not_verified() -> None:
    found = Structure(make(samples.finished(), contract=samples.CONTRACT)).sections["unverified"]
    assert "Not compared: reference.render_mode (only drawn on the screen)." in found
    assert "States outside of len(player) <= 22 (a longer hand has passed 21 before)." in found
    assert "L0 params matter: was not checked: there are no params." in found
    assert "L4: no policy was trained" in found


def test_the_story_has_every_call_in_order_with_its_fate() -> None:
    entries = timeline(samples.finished())
    told = [(e.call.title if e.call else "", e.fate, [j.stage for j in e.judged]) for e in entries]
    assert told == [
        ("translate cards", "kept", ["module cards"]),
        ("translate dealer", "kept", []),
        ("translate rules", "kept", []),
        ("", "", ["whole"]),
        ("repair dealer, 1", "rolled back", ["whole"]),
        ("repair dealer, 2", "kept", ["whole"]),
        ("", "", ["hidden 1"]),
    ]


def test_a_repair_is_shown_against_the_version_before_it_not_against_one_that_was_rolled_back() -> None:
    entries = {e.call.title: e for e in timeline(samples.finished()) if e.call}
    assert entries["repair dealer, 1"].changes["fast_blackjack/dealer.py"] == (samples.DEALER, samples.WORSE)
    assert entries["repair dealer, 2"].changes["fast_blackjack/dealer.py"] == (samples.DEALER, samples.BETTER)


def test_modules_that_are_written_at_the_same_time_keep_their_own_judgements() -> None:
    two = (
        samples.call("translate-cards", {"a.py": "1"}, 1, 1.0),
        samples.call("translate-dealer", {"b.py": "1"}, 1, 1.0),
    )
    events = [samples.BEGAN, two[0][0], two[1][0], two[1][1], two[0][1]]
    events += [samples.Kept("translate-dealer", "dealer"), samples.Kept("translate-cards", "cards")]
    events += [samples.alone("dealer"), samples.alone("cards")]
    told = {e.call.module: [j.stage for j in e.judged] for e in timeline(events) if e.call}
    assert told == {"dealer": ["module dealer"], "cards": ["module cards"]}


def test_the_story_shows_counterexamples_and_diffs() -> None:
    text = make(samples.finished())
    story = Structure(text).sections["story"]
    assert "212 differ" in story
    assert "It broke what was right: L1 single steps." in story
    assert '<span class="del">-    return jax.lax.fori_loop(0, 10' in text
    assert '<span class="add">+STANDS = 17\n</span>' in text
    assert "fast_blackjack/dealer.py: 4 lines added, 1 removed" in story


def test_where_nothing_was_paid_bars_show_time() -> None:
    free = [samples.BEGAN, *samples.call("translate-cards", {"a.py": "1"}, 0, 5.0)]
    text = make(free)
    assert "There was nothing to pay; the bars show time." in Structure(text).sections["cost"]
    assert '<rect width="100.00"' in text


def test_it_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "report.html"
    write_report("blackjack", samples.INTERFACE, samples.finished(), samples.FILES, path)
    assert path.read_text() == make(samples.finished())
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


# ---- in a browser ----


@pytest.mark.slow
def test_a_browser_shows_it(tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    write_report("blackjack", samples.INTERFACE, samples.finished(), samples.FILES, tmp_path / "report.html")
    picture = tmp_path / "page.png"
    subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={tmp_path}/p", f"--screenshot={picture}", "--window-size=1200,2400",
            f"file://{tmp_path}/report.html",
        ],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    from PIL import Image

    shown = Image.open(picture).convert("RGB")
    assert shown.size == (1200, 2400)
    colours = shown.getcolors(maxcolors=2**24)
    assert colours is not None
    assert len(colours) > 50  # letters, bars and dots, not an empty page
