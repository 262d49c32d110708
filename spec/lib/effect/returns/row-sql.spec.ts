// Statements from decoded rows: exact literals, complete conditions, and refusals where the log is not exact.
import { expect } from 'chai'
import type { ColumnValue } from '../../../../lib/backup/binlog/event.js'
import { rowSql } from '../../../../lib/effect/returns/divergence/row-sql.js'
import type { TableColumn, TableShape } from '../../../../lib/effect/returns/divergence/table-shape.js'

const column = (type: string, charset?: string): TableColumn => ({
  ...{ name: 'c', type, kind: type.replace(/[ (].*/, ''), generated: false },
  ...(charset === undefined ? {} : { charset }),
})

const value = (given: Partial<ColumnValue>): ColumnValue => ({
  ...{ position: 2, type: '', form: 'text', value: '', exact: true },
  ...given,
})

const id = value({ position: 1, form: 'number', value: '1' })
const idColumn: TableColumn = { ...column('int(11)'), name: 'id' }

const shape = (second: TableColumn, key: readonly string[] = ['id']): TableShape => ({
  ...{ schema: 's', table: 't', engine: 'InnoDB', key },
  columns: [idColumn, second],
})

/** Its literal in an insert. */
const literal = (type: string, given: Partial<ColumnValue>, charset?: string): string => {
  const sql = rowSql('insert', { after: [id, value(given)] }, shape(column(type, charset)))
  return sql.ok ? sql.value.apply.replace('INSERT INTO `s`.`t` (`id`, `c`) VALUES (1, ', '').slice(0, -1) : 'refused'
}

describe('rowSql', () => {
  for (const [type, given, charset, text] of [
    ['int(11)', { form: 'null' }, undefined, 'NULL'],
    ['int(10) unsigned', { form: 'number', value: '-1', unsigned: '4294967295' }, undefined, '4294967295'],
    ['int(11)', { form: 'number', value: '-1', unsigned: '4294967295' }, undefined, '-1'],
    ['bit(8)', { form: 'bits', value: '00000011' }, undefined, '3'],
    [`set('a','b')`, { form: 'bits', value: '10' }, 'utf8mb4', '2'],
    ['timestamp(3)', { form: 'number', value: '1795446299.123' }, undefined, 'FROM_UNIXTIME(1795446299.123)'],
    ['timestamp', { form: 'number', value: '0' }, undefined, "'0000-00-00'"],
    ['date', { value: '2026:11:23' }, undefined, "'2026-11-23'"],
    ['varchar(9)', { value: "it's" }, 'utf8mb4', "'it''s'"],
    ['varchar(9)', { value: 'a\nb' }, 'utf8mb4', "_utf8mb4 X'610a62'"],
    ['varchar(9)', { value: 'a\\b' }, 'utf8mb4', "_utf8mb4 X'615c62'"],
    ['varchar(9)', { value: 'é' }, 'utf8mb3', "'é'"],
    ['varchar(9)', { value: 'é' }, 'latin1', "_latin1 X'c3a9'"],
    ['varchar(9)', { form: 'bytes', value: 'c4' }, 'latin1', "_latin1 X'c4'"],
    ['varchar(9)', { value: '\0a' }, 'utf16', "_utf16 X'0061'"],
    ['binary(4)', { form: 'bytes', value: '00ff' }, undefined, "CAST(X'00ff' AS BINARY(4))"],
    ['blob', { value: 'ab' }, undefined, "X'6162'"],
    ['json', { value: '[1]' }, undefined, "CAST('[1]' AS JSON)"],
    ['varchar(9)', { value: 'a', exact: false }, 'utf8mb4', 'refused'],
    ['float', { form: 'number', value: '1.5' }, undefined, 'refused'],
    ['geometry', { value: 'x' }, undefined, 'refused'],
  ] as const)
    it(`writes ${JSON.stringify(given)} of ${type}${charset ? ` ${charset}` : ''} as ${text}`, () => {
      expect(literal(type, given, charset)).to.equal(text)
    })

  const words = shape(column('varchar(9)', 'utf8mb4'))
  const [old, young] = [value({ value: 'old' }), value({ value: 'new' })]

  it('names the whole row as it was, byte by byte, and sets only what changed', () => {
    const sql = rowSql('update', { before: [id, old], after: [id, young] }, words)
    expect(sql).to.deep.equal({
      ok: true,
      value: {
        apply:
          "UPDATE `s`.`t` SET `c` = 'new' WHERE `id` <=> 1 AND CAST(`c` AS BINARY) <=> CAST('old' AS BINARY) LIMIT 1",
        undo: "UPDATE `s`.`t` SET `c` = 'old' WHERE `id` <=> 1 AND CAST(`c` AS BINARY) <=> CAST('new' AS BINARY) LIMIT 1",
      },
    })
  })

  it('takes an insert back by a delete and a delete by an insert', () => {
    const inserted = rowSql('insert', { after: [id, young] }, words)
    const deleted = rowSql('delete', { before: [id, young] }, words)
    if (!inserted.ok || !deleted.ok) throw new Error('both can be written')
    expect([inserted.value.apply, inserted.value.undo]).to.deep.equal([deleted.value.undo, deleted.value.apply])
  })

  it('refuses images that do not fit the definition, and rows without a key that cannot be compared', () => {
    const minimal = rowSql('update', { before: [id], after: [young] }, words)
    expect(minimal.ok ? '' : minimal.failure.message).to.include('binlog_row_image')
    const float = value({ form: 'number', value: '1.5' })
    const keyless = rowSql('delete', { before: [id, float] }, shape(column('float'), []))
    expect(keyless.ok ? '' : keyless.failure.message).to.include('has no key')
  })
})
