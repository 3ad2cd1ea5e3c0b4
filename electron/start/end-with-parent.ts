/**
 * Loaded into every part before its own code. The supervisor holds a channel to each part; when it
 * dies in whatever way, the channel closes and the part ends itself in its orderly way.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep a finished part alive.
process.channel?.unref();
