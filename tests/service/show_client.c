/* show_client SOCKET CAPTURE NAME: presents a capture to a service until standard input ends. */
#include <stdio.h>
#include <string.h>

#include "pica/common/remote.h"
#include "replay.h"

static int fail(const char *what, int error) {
	fprintf(stderr, "show_client: %s: %s\n", what, strerror(-error));
	return 1;
}

int main(int argc, char **argv) {
	struct pica_client_settings settings;
	struct pica_client *client;
	struct pica_capture *capture;
	struct remote *remote;
	struct replay replay;
	struct pica_capture_error error;
	char message[PICA_TEXT_BYTES];
	if (argc != 4) {
		return 2;
	}
	int ret = pica_capture_open(&capture, argv[2], &error);
	if (ret < 0) {
		return fail(argv[2], ret);
	}
	pica_client_settings_init(&settings);
	settings.name = argv[3];
	settings.required = PICA_FEATURE_BIT_PRESENT;
	ret = pica_client_connect(&client, argv[1], &settings, message);
	if (ret < 0) {
		return fail(message, ret);
	}
	ret = remote_create(&remote, client, capture, NULL, message);
	ret = ret < 0 ? ret : replay_start(&replay, remote_gpu(remote), capture, 0);
	while (ret >= 0 && (ret = replay_frame(&replay)) == 1) {
	}
	ret = ret < 0 ? ret : replay_wait(&replay);
	if (ret < 0) {
		return fail("replay", ret);
	}
	printf("presented\n");
	fflush(stdout);
	while (getchar() != EOF) {
	}
	remote_destroy(remote);
	pica_client_close(client);
	pica_capture_close(capture);
	return 0;
}
