// How a frame is written down: all samples of one cluster, with its families in order of their names, so that frames of
// many clusters are merged family by family. Short, and told by what stood before: a scrape waits for memory more than for
// anything else, and nearly every family of a cluster has the samples of the same servers.
//
// Lines: `frame 2 <number of label sets>`, the label sets one a line, then a line for each family:
//
// - Its name is told by the one before: a character for how many of that one's first characters it shares (`!` for none,
//   `"` for one and so on), then the rest.
// - A sample behind a blank is a value. Its label set is the one next to the label set of the sample before; that of a
//   line's first sample is the one with which the line before began (the first of all in the first line).
// - A sample behind a tab is told as a whole: `<suffix><label set>=<value>`, where the suffix is that of a histogram's
//   series or nothing, and label sets are counted from 0.
// - A value is ASCII, in which two digits are one byte: from 128 for `00` to 227 for `99`.

export const HEADER = 'frame 2'

export const TAB = 9
export const LINE_FEED = 10
export const BLANK = 32

/** The character that tells that a name shares nothing; the others follow it, up to the last one of ASCII that is seen. */
export const SHARES_NONE = 33
export const MOST_SHARED = 126 - SHARES_NONE

/** The byte that stands for two digits, both 0. */
export const PAIRS = 128

export const EQUALS = 61
export const ZERO = 48
