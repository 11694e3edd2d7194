"""Owns the envelope: one JSON body to one message and back, in the dialect its version names; does no I/O.

Decoders are made on first use, one for each variant and dialect, so that a command pays for what it meets.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lazydap_core.errors import Undecodable, Unencodable
from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.dialect import NEWEST, OLDEST, Dialect, is_spoken
from lazydap_core.protocol.objects import U32, U64, check_u64
from lazydap_core.protocol.wire import Shapes

__all__ = ["NEWEST", "OLDEST", "Envelope", "Payload", "canonical", "decode", "encode"]

Payload = requests.Request | responses.Response | events.Event | responses.Error


class Envelope(msgspec.Struct, frozen=True):
    """One message: the writer's version, the id that pairs answer and request (0 for events), and what it says.

    `client` is the feature `actor`: what the writer calls itself.
    """

    version: int
    id: int
    payload: Payload
    client: str | None = None


_KINDS: Final[dict[str, Any]] = {
    "Request": requests.Request,
    "Response": responses.Response,
    "Event": events.Event,
    "Error": responses.Error,
}
_KIND_OF: Final[dict[type, str]] = {
    variant: kind for kind, variants in _KINDS.items() for variant in get_args(variants) or (variants,)
}

# `{"Name": …}` with the rest still undecoded, or a bare `"Name"`.
_Tagged = str | dict[str, Raw] | UnsetType


class _Tags(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    request: _Tagged = msgspec.field(name="Request", default=UNSET)
    response: _Tagged = msgspec.field(name="Response", default=UNSET)
    event: _Tagged = msgspec.field(name="Event", default=UNSET)
    error: Raw | UnsetType = msgspec.field(name="Error", default=UNSET)


class _Address(msgspec.Struct, frozen=True):
    version: U32
    id: U64

    def __post_init__(self) -> None:
        check_u64(self.id)


class _Head(_Address, frozen=True):
    payload: _Tags
    # Whatever somebody else may mean by that key, it spoils no message.
    client: Any = None


class _Variant:
    """One request, response, event or the error, in one dialect."""

    def __init__(self, dialect: "_Dialect", struct: type[msgspec.Struct]) -> None:
        kind = _KIND_OF[struct]
        self.struct: Any = struct
        shape = dialect.shapes.of(struct)
        self.is_unit = kind == "Request" and not shape.type.__struct_fields__
        self.pack = shape.pack
        self._unpack = shape.unpack
        self._decoder = msgspec.json.Decoder(shape.type)
        self._dialect = dialect
        name = b"" if struct is responses.Error else b'{"' + struct.__name__.encode() + b'":'
        self.opening = b',"payload":{"' + kind.encode() + b'":' + name
        self.closing = b"}}" if struct is responses.Error else b"}}}"
        self.unit = b',"payload":{"Request":"' + struct.__name__.encode() + b'"}}'

    def decode(self, body: Raw) -> Any:
        if self.is_unit:
            if bytes(body) != b"null":
                raise ValueError(f"{self.struct.__name__} takes nothing")
            return self.struct()
        try:
            value = self._decoder.decode(body)
        except msgspec.ValidationError:
            return self._decode_leniently(body)
        return value if self._unpack is None else self._unpack(value)

    def _decode_leniently(self, body: Raw) -> Any:
        shape = self._dialect.lenient_shapes.of(self.struct)
        value = msgspec.json.decode(body, type=shape.type)
        return value if shape.unpack is None else shape.unpack(value)


class _Dialect:
    """The codec of one version: variants by class and by kind and name."""

    def __init__(self, version: int) -> None:
        self.rows = Dialect(version)
        self.shapes = Shapes(self.rows)
        self.lenient_shapes = Shapes(self.rows, lenient=True)
        self._by_struct: dict[type, _Variant] = {}
        self._names: dict[str, dict[str, type[msgspec.Struct]]] = {}

    def variant(self, struct: type[msgspec.Struct]) -> _Variant:
        found = self._by_struct.get(struct)
        if found is None:
            if not self.rows.knows(struct):
                raise Unencodable(
                    f"protocol version {self.rows.version} has no {struct.__name__}: update the other side"
                )
            found = self._by_struct[struct] = _Variant(self, struct)
        return found

    def named(self, kind: str, name: str) -> _Variant:
        names = self._names.get(kind)
        if names is None:
            variants = [struct for struct in get_args(_KINDS[kind]) if self.rows.knows(struct)]
            names = self._names[kind] = {struct.__name__: struct for struct in variants}
        struct = names.get(name)
        if struct is None:
            raise ValueError(f"unknown {kind.lower()} {name!r}, expected one of {', '.join(names)}")
        return self.variant(struct)


# An integer field takes no `-0`, which JSON readers elsewhere see as a float; msgspec reads 0.
_NEGATIVE_ZERO: Final = re.compile(rb"([:\[,]\s*)-0(?=\s*[,}\]])")
LONGEST_CLIENT: Final = 80
"""Characters of a client's name that are kept."""
# Of the 127 levels that others read, the envelope has three.
_MAX_DEPTH: Final = 124

_dialects: Final[dict[int, _Dialect]] = {}
_encoder: Final = msgspec.json.Encoder(order="deterministic")
_heads: Final = msgspec.json.Decoder(_Head)


def _dialect(version: int) -> _Dialect:
    # A version that nobody speaks yet is read in the newest shape: its Ping and Shutdown are the same.
    version = version if is_spoken(version) else NEWEST
    found = _dialects.get(version)
    if found is None:
        found = _dialects[version] = _Dialect(version)
    return found


def encode(  # the envelope's own words
    id: int,  # noqa: A002
    payload: Payload,
    version: int = NEWEST,
    client: str | None = None,
) -> bytes:
    """The body of one frame, in the dialect of `version`; a version not spoken is written in the newest shape.

    `client` is what the writer calls itself.

    Raises Unencodable when the text is not valid Unicode or the version has no word for the payload.
    """
    return _written(Envelope(version, id, payload, client), _dialect(version))


def decode(body: bytes) -> Envelope:
    """The message of one frame's body, read in the dialect of the version it carries.

    Raises Undecodable when it is none; the error tells `version` and `id` where these could be read.
    """
    return _read(body, None)


def canonical(body: bytes, version: int | None = None) -> bytes:
    """What a program of `version` writes back for a body it has read; None is the version that the body carries.

    A program of one version reads every body in its own shape, whatever number stands in it. Raises Undecodable.
    """
    envelope = _read(body, version)
    return _written(envelope, _dialect(envelope.version if version is None else version))


def _written(envelope: Envelope, dialect: _Dialect) -> bytes:
    payload = envelope.payload
    variant = dialect.variant(type(payload))
    start = b'{"version":%d,"id":%d' % (envelope.version, envelope.id)
    if envelope.client is not None:
        start += b',"client":' + _encoder.encode(envelope.client)
    if variant.is_unit:
        return start + variant.unit
    value = payload if variant.pack is None else variant.pack(payload)
    try:
        if isinstance(payload, responses.Error):
            value = msgspec.structs.replace(value, details=_details(payload.details))
        return b"".join((start, variant.opening, _encoder.encode(value), variant.closing))
    except UnicodeEncodeError as error:
        raise Unencodable(f"{type(payload).__name__} holds text that is not valid Unicode: {error.reason}") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise Unencodable(f"{type(payload).__name__} holds what JSON cannot: {error}") from error


def _details(details: Any) -> Raw:
    import json  # noqa: PLC0415 - a tenth of a short command's time, and only errors need it

    # The standard library spells floats as other daemons do (1e+300); ids and paths in details become their text.
    text = json.dumps(details, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False, default=str)
    return Raw(text.encode())


def _read(body: bytes, version: int | None) -> Envelope:
    try:
        envelope = _decoded(body, version)
        if b"-0" in body and _NEGATIVE_ZERO.search(body):
            _decoded(_NEGATIVE_ZERO.sub(rb"\1-0.0", body), version)
    except (msgspec.DecodeError, ValueError, RecursionError, Unencodable) as error:
        raise _undecodable(body, error) from error
    return envelope


def _decoded(body: bytes, version: int | None) -> Envelope:
    head = _heads.decode(body)
    dialect = _dialect(head.version if version is None else version)
    client = head.client[:LONGEST_CLIENT] if isinstance(head.client, str) and head.client else None
    return Envelope(head.version, head.id, _payload(head.payload, dialect), client)


def _payload(tags: _Tags, dialect: _Dialect) -> Any:
    tagged = [
        (kind, value)
        for kind, value in (
            ("Request", tags.request),
            ("Response", tags.response),
            ("Event", tags.event),
            ("Error", tags.error),
        )
        if value is not UNSET
    ]
    if len(tagged) != 1:
        raise ValueError("expected one of Request, Response, Event, Error in the payload")
    kind, value = tagged[0]
    if isinstance(value, Raw):
        failure: responses.Error = dialect.variant(responses.Error).decode(value)
        _check_depth(failure.details)
        return failure
    if isinstance(value, str):
        variant = dialect.named(kind, value)
        if not variant.is_unit:
            raise ValueError(f"{value} needs its fields")
        return variant.struct()
    if len(value) != 1:
        raise ValueError(f"expected one {kind.lower()} in the payload")
    name, rest = next(iter(value.items()))
    return dialect.named(kind, name).decode(rest)


def _check_depth(details: Any) -> None:
    level = _containers([details])
    for _ in range(_MAX_DEPTH):
        level = [inner for outer in level for inner in _containers(outer)]
        if not level:
            return
    raise ValueError(f"nested deeper than {_MAX_DEPTH} - at `$.details`")


def _containers(values: Iterable[Any]) -> list[list[Any]]:
    """The values inside each object or array among `values`."""
    return [
        list(cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value))
        for value in values
        if isinstance(value, dict | list)
    ]


def _undecodable(body: bytes, error: Exception) -> Undecodable:
    reason = " ".join(str(error).split())
    undecodable = Undecodable(f"unreadable message: {reason}")
    try:
        address = msgspec.json.decode(body, type=_Address)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return undecodable
    undecodable.version = address.version
    undecodable.id = address.id
    return undecodable
