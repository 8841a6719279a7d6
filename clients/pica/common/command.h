/* The command line, for reports. */
#ifndef PICA_COMMAND_H
#define PICA_COMMAND_H

/*
 * Returns the program ("pica batch") and the arguments after the first, quoted for a shell, in
 * UTF-8 (caller frees); call it before parsing reorders them. Returns NULL when out of memory.
 */
char *command_line(const char *program, int argc, char **argv);

#endif
