#include "upload.h"

#include "fields.h"
#include "list_walk.h"

enum {
	GSH_BASE = PICA_REG_GSH_BOOLUNIFORM,
	VSH_BASE = PICA_REG_VSH_BOOLUNIFORM,
	INDEX_BITS = 0xFFF,
};

/* [fidelity: shader-upload] */
static void uniform_word(struct upload_unit *u, uint32_t word, struct upload *out) {
	u->word[u->n_words++] = word;
	if (!u->has_uniform || u->n_words < (u->is_f32 ? 4u : 3u)) {
		u->n_words &= 3;
		return;
	}
	u->n_words = 0;
	out->kind = UPLOAD_UNIFORM;
	out->index = u->uniform++;
	out->is_f32 = u->is_f32;
	if (!u->is_f32) {
		list_unpack_f24(u->word, out->value);
	}
	for (unsigned i = 0; u->is_f32 && i < 4; i++) {
		out->value[i] = u->word[3 - i];
	}
}

/* Registers of the two shader units have the same order.  [fidelity: register-map] */
struct upload upload_write(struct uploads *all, const struct pica_list_write *w) {
	const bool is_vs = w->id >= VSH_BASE;
	struct upload_unit *u = &all->unit[is_vs];
	const uint32_t id = is_vs ? w->id - VSH_BASE + GSH_BASE : w->id;
	struct upload out = { .is_vs = is_vs };
	if (!w->mask) {
		return out;
	}
	if (id == PICA_REG_GSH_FLOATUNIFORM_INDEX) {
		u->has_uniform = true;
		u->uniform = get_SH_FLOATUNIFORM_INDEX_INDEX(w->value);
		u->is_f32 = get_SH_FLOATUNIFORM_INDEX_IS_F32(w->value);
		u->n_words = 0;
	} else if (id >= PICA_REG_GSH_FLOATUNIFORM_DATA0 && id <= PICA_REG_GSH_FLOATUNIFORM_DATA7) {
		uniform_word(u, w->value, &out);
	} else if (id == PICA_REG_GSH_CODETRANSFER_INDEX) {
		u->has_code = true;
		u->code = w->value & INDEX_BITS;
	} else if (id >= PICA_REG_GSH_CODETRANSFER_DATA0 && id <= PICA_REG_GSH_CODETRANSFER_DATA7 &&
			u->has_code) {
		out.kind = UPLOAD_CODE;
		out.index = u->code++;
	} else if (id == PICA_REG_GSH_OPDESCS_INDEX) {
		u->has_descriptor = true;
		u->descriptor = w->value & INDEX_BITS;
	} else if (id >= PICA_REG_GSH_OPDESCS_DATA0 && id <= PICA_REG_GSH_OPDESCS_DATA7 &&
			u->has_descriptor) {
		out.kind = UPLOAD_DESCRIPTOR;
		out.index = u->descriptor++;
	}
	return out;
}
