/* The state at the start of a .ctf: its arrays, and the first writes. */
#ifndef PICA_TO_CTF_STATE_H
#define PICA_TO_CTF_STATE_H

#include "pica_capture.h"

/* State that this form cannot express. */
enum loss {
	LOSS_PORTS,
	LOSS_GEOMETRY,
	LOSS_ASSEMBLER,
	LOSS_MASK,
	LOSS_MEMORY,
	LOSS_COPY,
	LOSS_PRESENT,
	LOSS_KEEP,
	LOSS_COUNT,
};

struct ctf_out {
	struct pica_ctf_writer *writer;
	uint64_t lost[LOSS_COUNT];
	uint64_t kept_loads, trusted_loads;
};

/* The state as the arrays can hold it, to be freed; NULL: memory is out. */
struct pica_state *to_ctf_initial(const struct pica_state *s);
/* Says what initial (of to_ctf_initial()) does not, and counts what register writes cannot say. */
void to_ctf_put_state(
		struct ctf_out *c, const struct pica_state *s, const struct pica_state *initial);

#endif
