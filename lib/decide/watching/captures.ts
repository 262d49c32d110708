// Servers that are being captured, as findings.
import type { Finding } from '../../model/finding.js'
import type { ServerId } from '../../model/server/server.js'

/** By server: the finding that began the capture. */
export const judgeCaptures = (capturing: Readonly<Record<ServerId, string>> = {}): readonly Finding[] =>
  Object.entries(capturing).map(([server, trigger]) => ({ code: 'WARN0085', server, detail: `Begun by ${trigger}.` }))
