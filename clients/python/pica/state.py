"""Registers and shader memories, read from a context or a capture."""
from ._library import ffi, lib


def register_id(name):
    """The number of a register, by its name in pica_regs.def: 'TEXENV0_SOURCE' -> 0x0C0. KeyError if it is unknown."""
    number = lib.pica_reg_id(name.encode())
    if number < 0:
        raise KeyError(name)
    return number


def register_name(number):
    """The name of a register, or None."""
    name = lib.pica_reg_name(number)
    return ffi.string(name).decode() if name else None


def describe_register(register, word):
    """The fields of a word as text: 'RGB0=texture0(3) ...'. register: a number or a name."""
    number = register_id(register) if isinstance(register, str) else register
    size = lib.pica_reg_describe(number, word, ffi.NULL, 0) + 1
    text = ffi.new('char[]', size)
    lib.pica_reg_describe(number, word, text, size)
    return ffi.string(text).decode()


def float_of_f24(word):
    """The value of a 24-bit float: sign, 7 bits of exponent (bias 63), 16 of mantissa."""
    exponent, mantissa = word >> 16 & 0x7F, word & 0xFFFF
    if exponent == 0x7F:
        value = float('nan') if mantissa else float('inf')
    elif exponent == 0:
        value = 0.0
    else:
        value = (1 + mantissa / 65536) * 2.0 ** (exponent - 63)
    return -value if word >> 23 & 1 else value


class ShaderState:
    """One shader unit: lists of words, and uniforms as f24 words (four of each register)."""

    def __init__(self, raw):
        self.code = list(raw.code)
        self.operand_descriptors = list(raw.operand_descriptors)
        self.uniforms = [tuple(row) for row in raw.uniforms]

    def uniform(self, number):
        """The four floats of a uniform register."""
        return tuple(float_of_f24(word) for word in self.uniforms[number])


class State:
    """A copy of registers and shader memories.

    registers   the words of the internal registers, 0x300 of them; state[0x041] or state['VIEWPORT_WIDTH']
    external    words from 0x10400000 on; lcd: from 0x10202000 on
    fixed_attributes   16 times four f24 words
    vs, gs      ShaderState of the vertex and the geometry unit
    raw struct pica_state itself, for fields without a name here
    """

    def __init__(self, raw):
        self.raw = raw
        self.registers = list(raw.regs)
        self.external = list(raw.external)
        self.lcd = list(raw.lcd)
        self.fixed_attributes = [tuple(row) for row in raw.fixed_attributes]
        self.vs = ShaderState(raw.vs)
        self.gs = ShaderState(raw.gs)

    def __getitem__(self, register):
        return self.registers[register_id(register) if isinstance(register, str) else register]

    def describe(self, register):
        """The fields of a register as text."""
        return describe_register(register, self[register])
