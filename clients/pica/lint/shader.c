/* The programs of a draw: reachable code is read, not run. */
#include "common/program.h"
#include "lint.h"

static void report(
		struct lint *l, const struct program *p, uint32_t entry_reg, const uint32_t *regs) {
	if (p->mova >= 0) {
		lint_reg(l, LINT_SHADER_MOVA, regs, entry_reg, "at word %u", (unsigned)p->mova);
	}
	if (p->mixed >= 0) {
		lint_reg(l, LINT_SHADER_INPUTS, regs, entry_reg, "at word %u", (unsigned)p->mixed);
	}
}

/* Checks the components of enabled outputs that the output map names. [fidelity: output-slots] */
static void check_outputs(
		struct lint *l, const uint32_t *regs, const struct program *p, uint32_t mask_reg) {
	unsigned slot = 0;
	for (unsigned o = 0; o < PROGRAM_OUTPUTS; o++) {
		if (!(regs[mask_reg] >> o & 1)) {
			continue;
		}
		unsigned wanted = 0;
		for (unsigned c = 0; c < 4 && slot < 7; c++) {
			wanted |= (unsigned)((regs[PICA_REG_SH_OUTMAP_O0 + slot] >> 8 * c & 31) !=
						  31)
					<< c;
		}
		slot++;
		if (!p->written[o] || (wanted & ~p->written[o])) {
			lint_reg(l, LINT_SHADER_OUTPUT, regs, mask_reg, "o%u: written 0x%X of 0x%X",
					o, p->written[o], wanted);
		}
	}
}

void lint_shader(struct lint *l, const uint32_t *regs) {
	if (!l->program_changed) {
		return;
	}
	l->program_changed = false;
	if (pica_ctx_save_state(l->ctx, l->state) < 0) {
		return;
	}
	static struct program p; /* 4 KiB and more; the tool has one thread */
	program_read(&p, &l->state->vs, PROGRAM_VS_WORDS, regs[PICA_REG_VSH_ENTRYPOINT]);
	report(l, &p, PICA_REG_VSH_ENTRYPOINT, regs);
	const uint32_t entry = regs[PICA_REG_VSH_ENTRYPOINT];
	const int64_t twice = program_written_twice(
			&p, entry & (PROGRAM_VS_WORDS - 1), regs[PICA_REG_VSH_OUTMAP_MASK]);
	if (twice >= 0) {
		lint_report(l, LINT_SHADER_TWICE, PICA_REG_VSH_ENTRYPOINT, entry, "at word %u",
				(unsigned)twice);
	}
	if (!facts_has_geometry(regs)) {
		check_outputs(l, regs, &p, PICA_REG_VSH_OUTMAP_MASK);
		return;
	}
	program_read(&p, &l->state->gs, PROGRAM_GS_WORDS, regs[PICA_REG_GSH_ENTRYPOINT]);
	report(l, &p, PICA_REG_GSH_ENTRYPOINT, regs);
	check_outputs(l, regs, &p, PICA_REG_GSH_OUTMAP_MASK);
}
