import { expect } from 'chai'
import fc from 'fast-check'
import { type Column, fitWidths, renderTable, wrap } from '../../../../bin/cli/output/table.js'
import { textWidth } from '../../../../bin/cli/output/text-width.js'

interface Row {
  readonly name: string
  readonly count: number
  readonly text: string
}

const columns: readonly Column<Row>[] = [
  { title: 'name', text: ({ name }) => name },
  { title: 'n', align: 'right', text: ({ count }) => String(count) },
  { title: 'text', text: ({ text }) => text },
]

const rows: readonly Row[] = [
  { name: 'db1', count: 7, text: 'short' },
  { name: 'longer', count: 1234, text: 'one two three four five six seven' },
]

describe('renderTable', () => {
  it('makes columns as wide as their widest cell, and leaves no blanks at the ends', () => {
    expect(renderTable(columns, rows).split('\n')).to.deep.equal([
      'NAME       N  TEXT',
      'db1        7  short',
      'longer  1234  one two three four five six seven',
    ])
  })

  it('wraps the last column below itself', () => {
    expect(renderTable(columns, rows, 40).split('\n')).to.deep.equal([
      'NAME       N  TEXT',
      'db1        7  short',
      'longer  1234  one two three four five',
      '              six seven',
    ])
  })

  it('cuts the widest cells where the last column has no more to give', () => {
    const wide = [{ name: 'a-rather-long-name-of-a-server', count: 1, text: 'fine' }]
    expect(renderTable(columns, wide, 24).split('\n')).to.deep.equal([
      'NAME             N  TEXT',
      'a-rather-long-…  1  fine',
    ])
  })

  it('keeps what distinguishes the rows as long as anything else can be cut', () => {
    const [name = columns[1], ...others] = columns
    const keyed = [{ ...name, isKey: true } as Column<Row>, ...others]
    const wide = [{ name: 'a-name-of-a-server', count: 1, text: 'a rather long sentence about it' }]
    const lines = renderTable(keyed, wide, 32).split('\n')
    expect(lines[1]).to.equal('a-name-of-a-server  1  a rather…')
  })

  it('leaves columns out from the end where all of them find no room, and says so', () => {
    const many = Array.from(
      { length: 9 },
      (_, index): Column<Row> => ({
        title: `col${index}`,
        text: ({ name }) => `${name}-${index}-and-more`,
      }),
    )
    const lines = renderTable(many, rows, 40).split('\n')
    expect(lines[0]).to.match(/^COL0 +COL1 +COL2 +COL3$/)
    expect(lines.slice(-2).join(' ')).to.equal('Not shown (terminal too narrow): col4, col5, col6, col7, col8')
  })

  for (let width = 40; width <= 200; width += 20)
    it(`never runs over ${width} columns, whatever the cells hold`, () => {
      const cell = fc.string({ unit: 'grapheme', maxLength: 80 })
      fc.assert(
        fc.property(fc.array(fc.array(cell, { minLength: 7, maxLength: 7 }), { maxLength: 5 }), (table) => {
          const seven = Array.from(
            { length: 7 },
            (_, index): Column<readonly string[]> => ({
              title: `column ${index}`,
              ...(index % 3 === 1 ? { align: 'right' } : {}),
              text: (row) => row[index] ?? '',
            }),
          )
          const widths = renderTable(seven, table, width).split('\n').map(textWidth)
          expect(Math.max(...widths)).to.be.at.most(width)
        }),
        { numRuns: 40 },
      )
    })

  it('shows the titles where there is nothing else', () => {
    expect(renderTable(columns, [])).to.equal('NAME  N  TEXT')
  })
})

describe('fitWidths', () => {
  for (const [natural, width, widths] of [
    [[3, 4, 50], 200, [3, 4, 50]],
    [[3, 4, 50], 40, [3, 4, 29]],
    [[30, 4, 50], 60, [28, 4, 24]],
    [[30, 30, 10], 50, [18, 18, 10]],
    [[9, 9, 9, 9], 30, [8, 9, 9]],
    [[90], 30, [30]],
  ] as const)
    it(`gives ${widths} of ${width} to ${natural}`, () => {
      expect(fitWidths(natural, width)).to.deep.equal(widths)
    })
})

describe('wrap', () => {
  for (const [text, lines] of [
    ['', ['']],
    ['fits here', ['fits here']],
    ['one two three', ['one two', 'three']],
    ['abcdefghijklmnop', ['abcdefghi', 'jklmnop']],
    ['ab cdefghijklmnop', ['ab', 'cdefghijk', 'lmnop']],
  ] as const)
    it(`breaks "${text}" into ${lines.length}`, () => {
      expect(wrap(text, 9)).to.deep.equal(lines)
    })
})
