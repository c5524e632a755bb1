// Builds the seccomp filter of children (seccomp(2), linux/seccomp.h). The filter blocks a list of calls, because an
// office program needs all others.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "confinement.hpp"

namespace zygote {
namespace {

#if defined(__x86_64__)
constexpr __u32 architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr __u32 architecture = AUDIT_ARCH_AARCH64;
#else
#error "The system call filter is written for x86-64 and arm64."
#endif

constexpr __u32 refuse(int error) { return SECCOMP_RET_ERRNO | (static_cast<__u32>(error) & SECCOMP_RET_DATA); }

const std::vector<int> forbidden = {
    // Calls that reach other machines and services. Not even AF_UNIX is allowed, because no conversion needs it.
    SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    // Calls that start other programs.
    SYS_execve, SYS_execveat,
    // Calls that affect other processes.
    SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal,
    SYS_pidfd_getfd, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_process_madvise,
    SYS_setpgid, SYS_setsid,
    // Calls that change the system.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_open_tree, SYS_move_mount,
    SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_swapon, SYS_swapoff, SYS_reboot,
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_acct, SYS_quotactl, SYS_mknodat, SYS_fanotify_init, SYS_open_by_handle_at, SYS_name_to_handle_at,
    // Kernel features that are useful to an attacker and that no office program uses.
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_io_uring_setup,
    SYS_io_uring_enter, SYS_io_uring_register, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_kexec_file_load, SYS_personality, SYS_syslog, SYS_vhangup, SYS_lookup_dcookie, SYS_nfsservctl,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork, SYS_mknod, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_ustat, SYS__sysctl,
#endif
};

constexpr __u32 numberAt = offsetof(seccomp_data, nr);
constexpr __u32 architectureAt = offsetof(seccomp_data, arch);
// The lower half of the first argument. Both supported architectures are little-endian.
constexpr __u32 argumentAt = offsetof(seccomp_data, args);

/** A filter program. Each rule returns immediately, so no jump is longer than one rule. */
class Program {
 public:
  void load(__u32 offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void whenEqual(__u32 value, __u32 answer) {
    jump(BPF_JEQ, value, 0, 1);
    give(answer);
  }
  void unlessEqual(__u32 value, __u32 answer) {
    jump(BPF_JEQ, value, 1, 0);
    give(answer);
  }
  void whenAtLeast(__u32 value, __u32 answer) {
    jump(BPF_JGE, value, 0, 1);
    give(answer);
  }
  /** Allows a call only if its first argument matches. */
  void allowOnly(int call, __u16 comparison, __u32 value, int error) {
    jump(BPF_JEQ, static_cast<__u32>(call), 0, 4);
    load(argumentAt);
    jump(comparison, value, 0, 1);
    give(SECCOMP_RET_ALLOW);
    give(refuse(error));
  }
  void give(__u32 answer) { add(BPF_RET | BPF_K, answer); }
  bool install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  }

 private:
  void add(__u16 what, __u32 value) { code_.push_back({what, 0, 0, value}); }
  void jump(__u16 comparison, __u32 value, __u8 ifTrue, __u8 ifFalse) {
    code_.push_back({static_cast<__u16>(BPF_JMP | comparison | BPF_K), ifTrue, ifFalse, value});
  }
  std::vector<sock_filter> code_;
};

}  // namespace

bool restrictSystemCalls() {
  Program program;
  program.load(architectureAt);
  program.unlessEqual(architecture, SECCOMP_RET_KILL_PROCESS);
  program.load(numberAt);
#if defined(__x86_64__)
  // x32 calls (bit 30) are the same calls under other numbers.
  program.whenAtLeast(0x40000000, refuse(ENOSYS));
#endif
  // Allows new threads, but no new processes. A filter cannot see the flags of clone3; if that is unknown, the C
  // library uses clone.
  program.whenEqual(SYS_clone3, refuse(ENOSYS));
  program.allowOnly(SYS_clone, BPF_JSET, CLONE_THREAD, EPERM);
  // abort() and raise() signal the process itself.
  program.allowOnly(SYS_tgkill, BPF_JEQ, static_cast<__u32>(getpid()), EPERM);
  program.allowOnly(SYS_prlimit64, BPF_JEQ, 0, EPERM);
  // Lets fsync succeed without waiting for the disk, because scratch files need not survive a power failure.
  for (const int call : {SYS_fsync, SYS_fdatasync, SYS_sync_file_range}) {
    program.whenEqual(static_cast<__u32>(call), SECCOMP_RET_ERRNO | 0);
  }
  for (const int call : forbidden) program.whenEqual(static_cast<__u32>(call), refuse(EACCES));
  program.give(SECCOMP_RET_ALLOW);
  return program.install();
}

}  // namespace zygote
