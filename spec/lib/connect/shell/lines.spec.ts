import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { LONGEST_LINE, readLines } from '../../../../lib/connect/shell/lines.js'

/** The lines of consecutive chunks. */
async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, (line) => lines.push(line))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await new Promise((resolve) => stream.once('close', resolve))
  return lines
}

describe('readLines', () => {
  for (const [claim, chunks, lines] of [
    ['splits at line ends, of either kind', ['one\ntwo\r\nthree\n'], ['one', 'two', 'three']],
    ['joins pieces of a line', ['o', 'n', 'e\nt', 'wo'], ['one', 'two']],
    ['keeps empty lines', ['\n\nx'], ['', '', 'x']],
    ['gives no line for no input', [], []],
    ['joins characters that are cut in two', [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], ['é']],
  ] as const)
    it(claim, async () => expect(await linesOf(...chunks)).to.deep.equal(lines))

  it('cuts a line that does not end, and keeps no more of it', async () => {
    const piece = 'x'.repeat(65_536)
    const lines = await linesOf(...Array.from({ length: 64 }, () => piece), '\nnext\n')
    expect(lines.map(({ length }) => length)).to.deep.equal([LONGEST_LINE, 4])
  })
})
