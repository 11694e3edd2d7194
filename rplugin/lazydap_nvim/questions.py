"""Owns what the user is asked and the wait for an answer; knows not what for."""

from collections.abc import Iterator, Sequence
from typing import Final

import anyio

from lazydap_nvim.editor import Editor

PATIENCE_SECONDS: Final = 600.0
"""How long a question may stand; then it counts as not answered."""


class _Open:
    def __init__(self, token: int) -> None:
        self.token = token
        self.answer: int | str | None = None
        self.is_answered = anyio.Event()


class Questions:
    """Asks one question at a time: a new one takes the place of the one before, which then has no answer."""

    def __init__(self, editor: Editor, tokens: Iterator[int]) -> None:
        self._editor = editor
        self._tokens = tokens
        self._open: _Open | None = None

    async def choice(self, title: str, items: Sequence[str]) -> int | None:
        """Which of `items` the user chose, counted from 0; None for none of them."""
        question = self._begin()
        self._editor.choose(question.token, title, items)
        answer = await self._answer(question)
        return answer - 1 if isinstance(answer, int) and 0 < answer <= len(items) else None

    async def text(self, prompt: str, default: str) -> str | None:
        """What the user typed; None when that was given up."""
        question = self._begin()
        self._editor.ask(question.token, prompt, default)
        answer = await self._answer(question)
        return answer if isinstance(answer, str) else None

    async def saved(self) -> bool:
        """Whether a program may be started: changed files are saved, or the user wants what is on disk."""
        question = self._begin()
        self._editor.save(question.token)
        return await self._answer(question) is not None

    def answered(self, token: int, answer: int | str | None) -> None:
        """The user's answer to the question `token`; one that nobody asks any more is forgotten."""
        question = self._open
        if question is not None and question.token == token:
            self._open = None
            question.answer = answer
            question.is_answered.set()

    def _begin(self) -> _Open:
        if self._open is not None:
            self._open.is_answered.set()
        self._open = _Open(next(self._tokens))
        return self._open

    async def _answer(self, question: _Open) -> int | str | None:
        with anyio.move_on_after(PATIENCE_SECONDS):
            await question.is_answered.wait()
        return question.answer
