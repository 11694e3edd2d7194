"""What a client reads of an adapter's faults."""

import pytest

from lazydap_core.errors import DapProtocolError
from lazydap_daemon.dap.errors import RequestRefused
from lazydap_daemon.session.translate import adapter_faults


def test_a_refusal_of_many_lines_is_told_in_one_and_kept_as_it_was() -> None:
    text = "error: Expression execution was interrupted.\n\n  The process has been returned.\r\n"
    with pytest.raises(DapProtocolError) as told, adapter_faults():
        raise RequestRefused("evaluate", text, None)
    assert told.value.message == (
        "the adapter refused evaluate: error: Expression execution was interrupted.; The process has been returned."
    )
    assert told.value.details == {"command": "evaluate", "adapter_message": text}


@pytest.mark.parametrize("text", ["", "\n"])
def test_a_refusal_without_a_reason_says_that(text: str) -> None:
    with pytest.raises(DapProtocolError, match="gave no reason"), adapter_faults():
        raise RequestRefused("evaluate", text, None)
