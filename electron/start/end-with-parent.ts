/**
 * Loaded into every part before its own code. The supervisor holds a channel to each part; when it dies for any reason,
 * the channel closes and the part shuts down in order.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep a finished part alive.
process.channel?.unref();
