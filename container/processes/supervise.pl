#!/usr/bin/perl
# Keeps a server running: starts it, starts it again when it ends unexpectedly or falls silent, kills what it leaves behind, and
# passes SIGTERM and SIGINT on. As a container's first process it also reaps, as that one must. Perl is part of every Debian.
# Usage: supervise.pl program arguments...
#
# The program writes to the descriptor HEARTBEAT_FD once it is ready, and then more often than once a second. If it ends by
# itself with 0, or before it was ready for the first time, this process ends likewise.
use strict;
use warnings;
use Config;
use Fcntl;
use POSIX ();

my ($tickSeconds, $longestTickSeconds) = (0.25, 1);
my $silentSeconds = 6;
my $startSeconds = 60;
# Shorter than the ten seconds after which platforms kill.
my $stopSeconds = 7;
my ($firstPause, $longestPause) = (0.1, 10);
# A server that lived this long ended for a new reason.
my $soundSeconds = 20;

# linux/prctl.h: orphans of the server's become children of this process; the server ends with it.
my ($setDeathSignal, $setSubreaper) = (1, 36);
my %prctlNumbers = (x86_64 => 157, aarch64 => 167);
my ($machine) = split /-/, $Config{archname};
my $clockTicks = POSIX::sysconf(POSIX::_SC_CLK_TCK());
my $prctl = $prctlNumbers{$machine} or die "supervise.pl does not know $machine.\n";
syscall($prctl, $setSubreaper, 1, 0, 0, 0) == 0 or die "supervise.pl: prctl: $!\n";
die "supervise.pl: no program\n" unless @ARGV;

$| = 1;
# A descriptor that was inherited, as the channel to whoever started this, stays the server's; so does the heartbeat's.
$^F = 255;
# Only to be woken.
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
        report('the server ended', how => $how);
        exit($stopping ? 0 : $status & 127 ? 128 + ($status & 127) : $status >> 8);
    }
    $pause = $firstPause if now() - $since > $soundSeconds;
    report('the server ended and is started again', how => $how, pauseMs => 1000 * $pause);
    my $until = now() + $pause;
    while (!$stopping && now() < $until) {
        rest($until - now());
        reap();
    }
    $pause = $pause * 2 < $longestPause ? $pause * 2 : $longestPause;
}

# Until it has ended. Returns what wait(2) says of it.
sub runServer {
    start();
    my ($ready, $silent, $killed) = (0, 0, 0);
    while (1) {
        my $before = now();
        rest($tickSeconds);
        my $status = reap();
        my $tick = now() - $before;
        if (sysread $heart, my $bytes, 4096) { ($ready, $wasReady, $silent) = (1, 1, 0) }
        # If this process was not running either, the silence tells nothing.
        else { $silent += $tick < $longestTickSeconds ? $tick : $longestTickSeconds }
        return $status if defined $status;
        next if $killed;
        my $isLate = $stopping && now() - $stopping > $stopSeconds;
        next unless $isLate || $silent > ($ready ? $silentSeconds : $startSeconds);
        report('the server is killed', why => $isLate ? 'it does not end' : 'it is silent');
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
        # It may have ended before that was said; a signal may have come before there was a server to tell.
        POSIX::_exit(1) if getppid() != $supervisor || $stopping;
        $ENV{HEARTBEAT_FD} = fileno $beat;
        exec { $ARGV[0] } @ARGV or print STDERR "supervise.pl: $ARGV[0]: $!\n";
        POSIX::_exit(127);
    }
    close $beat;
    kill 'TERM', $server if $stopping;
}

# Of all children that have ended. Returns the server's status, if it was among them.
sub reap {
    my $ended;
    while ((my $pid = waitpid -1, POSIX::WNOHANG) > 0) {
        ($ended, $server) = ($?, 0) if $pid == $server;
    }
    return $ended;
}

# What the server left became this process's, and what that leaves will.
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

# proc(5): after the name in parentheses come the state and the parent. Returns 0 of a process that has ended.
sub parentOf {
    my ($pid) = @_;
    open my $file, '<', "/proc/$pid/stat" or return 0;
    local $/;
    my ($parent) = (<$file> // '') =~ /.*\) \S (\d+) /s;
    return $parent // 0;
}

# Shorter where a child ends or a signal comes.
sub rest {
    my ($seconds) = @_;
    select(undef, undef, undef, $seconds) if $seconds > 0;
}

# Seconds since some moment, on a clock that nobody sets (times(2)).
sub now { return (POSIX::times())[0] / $clockTicks }

# A line like the server's own.
sub report {
    my ($message, %details) = @_;
    my $time = POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime);
    my @fields = map { qq("$_":) . ($details{$_} =~ /^\d+$/ ? $details{$_} : qq("$details{$_}")) } sort keys %details;
    print '{', join(',', qq("time":"$time"), qq("message":"$message"), @fields), "}\n";
}
