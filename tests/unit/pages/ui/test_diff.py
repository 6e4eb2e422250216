"""The diff as HTML."""

from __future__ import annotations

from pages.ui.shared.markup import diff_html


def test_changes_are_marked_and_spoken() -> None:
    made = diff_html([(0, "It cost "), (-1, "2"), (1, "3"), (0, " million.")])
    assert 'It cost <del><span class="spoken">[deleted: </span>2<span class="spoken">]</span></del>' in made
    assert '<ins><span class="spoken">[inserted: </span>3<span class="spoken">]</span></ins> million.' in made


def test_text_never_becomes_markup() -> None:
    hostile = "<script>window.__xss=1</script>\"'&"
    made = diff_html([(op, hostile) for op in (-1, 0, 1)])
    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 3
