/* Uevents of displays. */
#include <stdlib.h>
#include <string.h>

#include "service/uevent.h"
#include "tests/suite.h"

FORKED_TESTS

TEST(messages_about_displays_are_known) {
	static const char plug[] =
			"change@/devices/pci0000:00/0000:00:02.0/drm/card0\0ACTION=change\0"
			"DEVPATH=/devices/pci0000:00/0000:00:02.0/drm/card0\0SUBSYSTEM=drm\0HOTPLUG=1\0"
			"DEVNAME=dri/card0\0SEQNUM=2411";
	static const char disk[] =
			"add@/devices/virtual/block/loop0\0ACTION=add\0SUBSYSTEM=block\0";
	static const char longer[] = "change@/x\0SUBSYSTEM=drm_dp_aux_dev\0";
	ck_assert(uevent_is_display(plug, sizeof(plug)));
	ck_assert(!uevent_is_display(disk, sizeof(disk)));
	ck_assert(!uevent_is_display(longer, sizeof(longer)));
	ck_assert(!uevent_is_display(plug, 0));
	/* The words end where the message does. */
	for (size_t n = 0; n < sizeof(plug); n++) {
		char *copy = malloc(n ? n : 1);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, plug, n);
		const char key[] = "SUBSYSTEM=drm";
		size_t at = 0;
		for (size_t i = 0; i + sizeof(key) - 1 <= n; i++) {
			at = memcmp(plug + i, key, sizeof(key) - 1) == 0 ? i + sizeof(key) - 1 : at;
		}
		ck_assert_int_eq(uevent_is_display(copy, n), at != 0);
		free(copy);
	}
}
