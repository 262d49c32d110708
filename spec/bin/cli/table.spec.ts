import { expect } from 'chai'
import { type Column, renderTable, wrap } from '../../../bin/cli/table.js'

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

  it('leaves the wrapping to a terminal that is too narrow for it', () => {
    expect(renderTable(columns, rows, 30)).to.equal(renderTable(columns, rows))
  })

  it('shows the titles where there is nothing else', () => {
    expect(renderTable(columns, [])).to.equal('NAME  N  TEXT')
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
