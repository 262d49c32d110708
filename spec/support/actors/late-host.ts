// Entry module of a host thread that comes up late, as on a machine without a free processor.
const LATE_MS = 2_500

Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, LATE_MS)
await import('./host.js')
