"""Owns how a struct in the newest shape looks on the wire of one dialect; knows no envelope.

JSON has no sums, so a sum of structs travels as an object with the one key that names its variant, and a variant
without fields as the bare name (doc/protocol.md, "Variants"). msgspec has no such unions: a struct that holds one, or
that a dialect changes, gets a twin with the wire's fields, made on first use. All others travel as they are.
"""

import types
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import FieldInfo

from lazydap_core.errors import Unencodable
from lazydap_core.protocol import objects, responses
from lazydap_core.protocol.dialect import Dialect

# Names of the variants that stand inside other structs, where they differ from the class's.
_NAMES: Final[dict[type, str]] = {
    objects.Everything: "All",
    objects.ByIds: "Ids",
    objects.ByLocation: "Location",
    objects.BySource: "Source",
    objects.ByExpression: "Expression",
    objects.ByName: "Name",
    objects.Exited: "exited",
    objects.AdapterDied: "adapter_died",
}
# Structs that travel as nothing but the value of their one field.
_BARE: Final[dict[type, str]] = {
    objects.ByIds: "ids",
    objects.ByLocation: "location",
    objects.BySource: "source",
    objects.ByExpression: "expression",
    objects.ByName: "name",
    responses.Threads: "threads",
    responses.Scopes: "scopes",
}


class Shape(NamedTuple):
    """The wire type of something, and the ways to and from it; None where the value is its own wire form."""

    type: Any
    pack: Callable[[Any], Any] | None = None
    unpack: Callable[[Any], Any] | None = None


class Shapes:
    """The shapes of one dialect, each made on first use.

    A `lenient` set also reads a word of a closed set written as `{"word": null}`; it costs a twin for every struct
    with such a word, so it is kept for what the plain set has refused.
    """

    def __init__(self, dialect: Dialect, *, lenient: bool = False) -> None:
        self._dialect = dialect
        self._lenient = lenient
        self._known: dict[Any, Shape] = {}

    def of(self, annotation: Any) -> Shape:
        """The shape of a struct class or of a field's annotation."""
        shape = self._known.get(annotation)
        if shape is None:
            shape = self._known[annotation] = self._made(annotation)
        return shape

    def _made(self, annotation: Any) -> Shape:
        origin = get_origin(annotation)
        if origin in (Union, types.UnionType):
            return self._union(get_args(annotation))
        if origin is tuple:
            return self._sequence(get_args(annotation)[0])
        if origin is Literal:
            return self._words(annotation)
        if _is_struct(annotation):
            return self._struct(annotation)
        return Shape(annotation)

    def _union(self, members: tuple[Any, ...]) -> Shape:
        cases = [member for member in members if member is not type(None)]
        if sum(map(_is_struct, cases)) and len(cases) > 1:
            return self._sum(cases)
        if len(cases) > 1:
            return Shape(Union[members])  # noqa: UP007 - members are only known at run time
        inner = self.of(cases[0])
        return Shape(inner.type | None, _unless_none(inner.pack), _unless_none(inner.unpack))

    def _sequence(self, item: Any) -> Shape:
        inner = self.of(item)
        return Shape(tuple[inner.type, ...], _each(inner.pack), _each(inner.unpack))

    def _words(self, annotation: Any) -> Shape:
        stand_ins = self._dialect.stand_ins(annotation)
        words = tuple(word for word in get_args(annotation) if word not in stand_ins)
        pack = _word_packer(stand_ins, self._dialect.version) if stand_ins else None
        if not self._lenient:
            return Shape(Literal[words], pack)
        keyed = _one_key_struct("Word", [(word, None) for word in words])
        return Shape(Literal[words] | keyed, pack, _word_of)

    def _sum(self, cases: list[Any]) -> Shape:
        units: dict[str, Any] = {}
        bodies: dict[str, Shape] = {}
        packers: dict[type, Callable[[Any], Any]] = {}
        for case in cases:
            if get_origin(case) is Literal:
                units.update((word, word) for word in get_args(case))
            elif case.__struct_fields__:
                bodies[_wire_name(case)] = self.of(case)
            else:
                units[_wire_name(case)] = case()
        keyed = _one_key_struct("Sum", [(name, None) for name in units] + [(n, s.type) for n, s in bodies.items()])
        for case in cases:
            if _is_struct(case):
                packers[case] = _case_packer(case, keyed, self.of(case).pack)
        wire_type = Literal[tuple(units)] | keyed if units else keyed
        return Shape(wire_type, _sum_packer(packers), _sum_unpacker(units, bodies))

    def _struct(self, struct: Any) -> Shape:
        fields = {field.name: field for field in msgspec.structs.fields(struct)}
        absent = self._dialect.absent(struct)
        bare = _BARE.get(struct) or self._dialect.bare(struct)
        if bare is not None:
            inner = self.of(fields[bare].type)
            return Shape(inner.type, _bare_packer(bare, inner.pack), _bare_unpacker(struct, bare, inner.unpack, absent))
        required = self._dialect.required(struct)
        shapes = {name: self.of(field.type) for name, field in fields.items() if name not in absent}
        packs = {name: shape.pack for name, shape in shapes.items() if shape.pack is not None}
        unpacks = {name: shape.unpack for name, shape in shapes.items() if shape.unpack is not None}
        if not (absent or required or packs or unpacks):
            return Shape(struct)
        definition = [
            (name, _without_none(shape.type)) if name in required else (name, shape.type, _default(fields[name]))
            for name, shape in shapes.items()
        ]
        twin = msgspec.defstruct(
            struct.__name__, definition, bases=(objects.WireObject,), frozen=True, kw_only=True, omit_defaults=True
        )
        return Shape(twin, _struct_packer(twin, packs, required, absent), _struct_unpacker(struct, unpacks, absent))


def _is_struct(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)


def _wire_name(case: type) -> str:
    return _NAMES.get(case, case.__name__)


def _without_none(annotation: Any) -> Any:
    members = tuple(member for member in get_args(annotation) if member is not type(None))
    return Union[members] if members else annotation  # noqa: UP007 - members are only known at run time


def _default(field: FieldInfo) -> Any:
    if field.required:
        return msgspec.NODEFAULT
    return field.default if field.default_factory is msgspec.NODEFAULT else objects.NULL


def _one_key_struct(name: str, definition: list[tuple[str, Any]]) -> type[msgspec.Struct]:
    fields = [(key, type_ | UnsetType if type_ is not None else None | UnsetType, UNSET) for key, type_ in definition]
    return msgspec.defstruct(name, fields, frozen=True, kw_only=True, forbid_unknown_fields=True)


def _only_key(keyed: msgspec.Struct) -> tuple[str, Any]:
    found = [(name, value) for name, value in msgspec.structs.asdict(keyed).items() if value is not UNSET]
    if len(found) != 1:
        raise ValueError(f"expected one key that names the variant, found {len(found)}")
    return found[0]


def _unless_none(change: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if change is None:
        return None
    return lambda value: None if value is None else change(value)


def _each(change: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if change is None:
        return None
    return lambda values: tuple(map(change, values))


def _word_packer(stand_ins: dict[str, str | None], version: int) -> Callable[[str], str]:
    def pack(word: str) -> str:
        if word not in stand_ins:
            return word
        stand_in = stand_ins[word]
        if stand_in is None:
            raise Unencodable(f"protocol version {version} has no word for {word}: update the other side")
        return stand_in

    return pack


def _word_of(value: Any) -> str:
    return value if isinstance(value, str) else _only_key(value)[0]


def _case_packer(case: Any, keyed: Any, pack: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    name = _wire_name(case)
    if not case.__struct_fields__:
        return lambda _: name
    if pack is None:
        return lambda value: keyed(**{name: value})
    return lambda value: keyed(**{name: pack(value)})


def _sum_packer(packers: dict[type, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def pack(value: object) -> Any:
        packer = packers.get(type(value))
        return value if packer is None else packer(value)

    return pack


def _sum_unpacker(units: dict[str, Any], bodies: dict[str, Shape]) -> Callable[[Any], Any]:
    def unpack(value: Any) -> Any:
        if isinstance(value, str):
            return units[value]
        name, body = _only_key(value)
        if name in units:
            return units[name]
        change = bodies[name].unpack
        return body if change is None else change(body)

    return unpack


def _bare_packer(field: str, pack: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    if pack is None:
        return lambda value: getattr(value, field)
    return lambda value: pack(getattr(value, field))


def _bare_unpacker(
    struct: Any, field: str, unpack: Callable[[Any], Any] | None, absent: dict[str, Any]
) -> Callable[[Any], Any]:
    if unpack is None:
        return lambda value: struct(**{field: value}, **absent)
    return lambda value: struct(**{field: unpack(value)}, **absent)


def _struct_packer(
    twin: Any,
    packs: dict[str, Callable[[Any], Any]],
    required: dict[str, Callable[[Any], Any]],
    absent: dict[str, Any],
) -> Callable[[Any], Any]:
    def pack(value: Any) -> Any:
        fields = msgspec.structs.asdict(value)
        for name in absent:
            del fields[name]
        for name, change in packs.items():
            fields[name] = change(fields[name])
        for name, stand_in in required.items():
            if fields[name] is None:
                fields[name] = stand_in(value)
        return twin(**fields)

    return pack


def _struct_unpacker(
    struct: Any, unpacks: dict[str, Callable[[Any], Any]], absent: dict[str, Any]
) -> Callable[[Any], Any]:
    def unpack(value: Any) -> Any:
        fields = msgspec.structs.asdict(value)
        for name, change in unpacks.items():
            fields[name] = change(fields[name])
        return struct(**fields, **absent)

    return unpack
