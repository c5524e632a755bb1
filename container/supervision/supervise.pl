#!/usr/bin/perl
# Keeps a server running. Restarts it if it ends unexpectedly, is stopped, or sends no heartbeat. Kills processes that
# it leaves behind, and forwards SIGTERM and SIGINT. As a container's first process, also reaps orphans. Perl is part of
# every Debian.
# Usage: supervise.pl program arguments...
#
# When the program is ready, it must start to write to the file descriptor HEARTBEAT_FD, more often than once a second.
# If the program exits with 0, or ends before it was ever ready, this process ends with the same status.
use strict;
use warnings;
use Config;
use Fcntl;
use POSIX ();

my ($tickSeconds, $longestTickSeconds) = (0.25, 1);
my $silentSeconds = 6;
# Longer than the time for which a debugger stops a process when it attaches.
my $stoppedSeconds = 1;
my $startSeconds = 60;
# The server's time for running jobs, plus time to end its engines. The default (graceMs of container/limits.ts) is
# shorter than the ten seconds after which platforms kill a container.
my ($graceSeconds) = ($ENV{SHUTDOWN_GRACE_SECONDS} // '') =~ /^(\d+)$/;
my ($graceMs) = ($ENV{GRACE_MS} // '') =~ /^(\d+)$/;
my $stopSeconds = ($graceMs // 1000 * ($graceSeconds // 4)) / 1000 + 3;
my ($firstPause, $longestPause) = (0.1, 10);
# If a server ran for this long, its end has a new cause, so the pause before its restart is the shortest again.
my $soundSeconds = 20;

# linux/prctl.h. Subreaper: orphans of the server become children of this process. Death signal: the server ends with
# this process.
my ($setDeathSignal, $setSubreaper) = (1, 36);
my %prctlNumbers = (x86_64 => 157, aarch64 => 167);
my ($machine) = split /-/, $Config{archname};
my $clockTicks = POSIX::sysconf(POSIX::_SC_CLK_TCK());
my $prctl = $prctlNumbers{$machine} or die "supervise.pl does not know $machine.\n";
syscall($prctl, $setSubreaper, 1, 0, 0, 0) == 0 or die "supervise.pl: prctl: $!\n";
die "supervise.pl: no program\n" unless @ARGV;

$| = 1;
# The server inherits open descriptors: the heartbeat's, and for example a channel to the parent.
$^F = 255;
# The handler is empty. Its call interrupts this process's sleep.
$SIG{CHLD} = sub { };
my ($server, $heart, $stopping) = (0);
$SIG{$_} = sub {
    $stopping //= now();
    kill 'TERM', $server if $server;
  }
  for qw(TERM INT HUP);

my $wasReady = 0;
my $pause = $firstPause;
until ($stopping) {
    my $since = now();
    my $status = runServer();
    killOrphans();
    my $how = $status & 127 ? 'signal ' . ($status & 127) : 'code ' . ($status >> 8);
    if ($stopping || $status == 0 || !$wasReady) {
        report('server ended', how => $how);
        exit($stopping ? 0 : $status & 127 ? 128 + ($status & 127) : $status >> 8);
    }
    $pause = $firstPause if now() - $since > $soundSeconds;
    report('server restarted', how => $how, pauseMs => 1000 * $pause);
    my $until = now() + $pause;
    while (!$stopping && now() < $until) {
        rest($until - now());
        reap();
    }
    $pause = $pause * 2 < $longestPause ? $pause * 2 : $longestPause;
}

# Runs the server until it ends. Returns its status (wait(2)).
sub runServer {
    start();
    my ($ready, $silent, $stopped, $killed) = (0, 0, 0, 0);
    while (1) {
        my $before = now();
        rest($tickSeconds);
        my $status = reap();
        my $tick = now() - $before;
        if (sysread $heart, my $bytes, 4096) { ($ready, $wasReady, $silent) = (1, 1, 0) }
        # Time during which this process did not run either does not count as silence.
        else { $silent += $tick < $longestTickSeconds ? $tick : $longestTickSeconds }
        return $status if defined $status;
        next if $killed;
        $stopped = isStopped($server) ? $stopped + $tick : 0;
        my $isLate = $stopping && now() - $stopping > $stopSeconds;
        my $isSilent = $silent > ($ready ? $silentSeconds : $startSeconds);
        my $why =
              $isLate                    ? 'it does not end'
            : $stopped > $stoppedSeconds ? 'it is stopped'
            : $isSilent                  ? 'it is silent'
            :                              undef;
        next unless $why;
        report('server killed', reason => $why);
        $killed = kill 'KILL', $server;
    }
}

sub start {
    pipe $heart, my $beat or die "supervise.pl: pipe: $!\n";
    for ($heart, $beat) { fcntl $_, F_SETFL, fcntl($_, F_GETFL, 0) | O_NONBLOCK }
    fcntl $heart, F_SETFD, FD_CLOEXEC;
    my $supervisor = $$;
    $server = fork // die "supervise.pl: fork: $!\n";
    if ($server == 0) {
        $SIG{$_} = 'DEFAULT' for qw(CHLD TERM INT HUP);
        syscall($prctl, $setDeathSignal, 9, 0, 0, 0);
        # The parent might have exited before the call, or a signal might have arrived before the server started.
        POSIX::_exit(1) if getppid() != $supervisor || $stopping;
        $ENV{HEARTBEAT_FD} = fileno $beat;
        exec { $ARGV[0] } @ARGV or print STDERR "supervise.pl: $ARGV[0]: $!\n";
        POSIX::_exit(127);
    }
    close $beat;
    kill 'TERM', $server if $stopping;
}

# Reaps all children that have ended. If the server is among them, returns its status.
sub reap {
    my $ended;
    while ((my $pid = waitpid -1, POSIX::WNOHANG) > 0) {
        ($ended, $server) = ($?, 0) if $pid == $server;
    }
    return $ended;
}

# Kills the server's orphans, which are children of this process now, and their descendants.
sub killOrphans {
    my $until = now() + 5;
    while (now() < $until) {
        my @left = children() or return;
        kill 'KILL', @left;
        rest(0.02);
        reap();
    }
}

sub children {
    return grep { parentOf($_) == $$ } map { m{^/proc/(\d+)$} } glob '/proc/[0-9]*';
}

sub parentOf { return (fieldsOf(@_))[1] // 0 }

sub isStopped { return ((fieldsOf(@_))[0] // '') eq 'T' }

# Returns the state and the parent of a process, or nothing if it has ended. In proc(5), both follow the name in
# parentheses.
sub fieldsOf {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/stat" or return;
    local $/;
    return (<$file> // '') =~ /.*\) (\S) (\d+) /s;
}

# Sleeps for some seconds. A child's end or a signal interrupts the sleep.
sub rest {
    my ($seconds) = @_;
    select(undef, undef, undef, $seconds) if $seconds > 0;
}

# Returns the seconds of a clock that cannot be set (times(2)).
sub now { return (POSIX::times())[0] / $clockTicks }

# Prints a line in the server's log format.
sub report {
    my ($message, %details) = @_;
    my $time = POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime);
    my @fields = map { qq("$_":) . ($details{$_} =~ /^\d+$/ ? $details{$_} : qq("$details{$_}")) } sort keys %details;
    print '{', join(',', qq("time":"$time"), qq("message":"$message"), @fields), "}\n";
}
