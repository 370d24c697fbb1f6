/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command whose system calls are partly refused, as in a sandbox:
 *     without_syscall EPERM memfd_create membarrier -- command arguments ...
 * "madvise:25" refuses only calls whose third argument is 25. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#else
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

enum { MOST_RULES = 16, INSTRUCTIONS_PER_RULE = 5 };

static const struct {
    const char* name;
    unsigned number;
} calls[] = {
    {"fallocate", SYS_fallocate},
    {"madvise", SYS_madvise},
    {"membarrier", SYS_membarrier},
    {"memfd_create", SYS_memfd_create},
    {"pidfd_open", SYS_pidfd_open},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"ptrace", SYS_ptrace},
};

static const struct {
    const char* name;
    unsigned number;
} errors[] = {{"EINVAL", EINVAL}, {"ENOSYS", ENOSYS}, {"EPERM", EPERM}};

static void give_up(const char* reason) {
    fprintf(stderr, "without_syscall: %s: %s\n", reason, strerror(errno));
    exit(EXIT_FAILURE);
}

static unsigned number_of_call(const char* name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        if (strcmp(calls[i].name, name) == 0)
            return calls[i].number;
    errno = EINVAL;
    give_up(name);
    return 0;
}

static unsigned number_of_error(const char* name) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
        if (strcmp(errors[i].name, name) == 0)
            return errors[i].number;
    errno = EINVAL;
    give_up(name);
    return 0;
}

static size_t add_rule(struct sock_filter* at, char* rule, unsigned error) {
    char* condition = strchr(rule, ':');
    if (condition != NULL)
        *condition++ = 0;
    unsigned argument = condition ? (unsigned)strtoul(condition, NULL, 10) : 0;
    struct sock_filter load_number = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    struct sock_filter load_argument =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]));
    struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    size_t count = 0;
    unsigned char rest = condition ? 3 : 1;
    at[count++] = load_number;
    at[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number_of_call(rule), 0, rest);
    if (condition) {
        at[count++] = load_argument;
        at[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 0, 1);
    }
    at[count++] = refuse;
    return count;
}

int main(int argc, char** argv) {
    struct sock_filter filter[MOST_RULES * INSTRUCTIONS_PER_RULE + 4] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    size_t count = 3;
    int at = 2;
    for (; at < argc && at < MOST_RULES && strcmp(argv[at], "--") != 0; ++at)
        count += add_rule(filter + count, argv[at], number_of_error(argv[1]));
    if (at + 1 >= argc)
        give_up("usage: without_syscall ERROR CALL... -- COMMAND");
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)count, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        give_up("cannot install the filter");
    execvp(argv[at + 1], argv + at + 1);
    give_up(argv[at + 1]);
}
