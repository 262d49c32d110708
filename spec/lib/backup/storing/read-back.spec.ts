import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { StoredFile, Term } from '../../../../lib/backup/binlog/term.js'
import { indexPath, wholePath } from '../../../../lib/backup/storing/copy-names.js'
import { readBack } from '../../../../lib/backup/storing/read-back.js'
import { unwrap } from '../../../../lib/base/result.js'
import { newDirectory } from '../../../support/machine/directories.js'

const { signal } = new AbortController()
const BYTES = Buffer.from('bytes of a file')
const coding = { compression: 'none', encrypted: false } as const

const fileOf = (name: string): StoredFile => ({
  ...{ name, stored: `${name}.gz`, size: BYTES.length, storedSize: BYTES.length, checksum: 'of before', closed: true },
  ...{ firstAt: 1, lastAt: 2, previous: '', transactions: {} },
})

describe('readBack', () => {
  /** What is read from a place that has these files of a term whose index names others, too. */
  async function readFrom({ named, there }: { readonly named: readonly string[]; readonly there: readonly string[] }) {
    const [root, directory] = [newDirectory('place'), newDirectory('logs')]
    const term = {
      ...{ id: '1-db1_3306', server: 'db1', host: 'db1', port: 3306, beganAt: 1_000 },
      ...{ flavour: 'mariadb', version: '11.8', files: named.map(fileOf) },
    } as const satisfies Term
    const put = (name: string, content: Buffer | string) => {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      writeFileSync(path.join(root, name), content)
    }
    put(indexPath('shop', term.id, 1), JSON.stringify(term))
    for (const file of there) put(wholePath('shop', { term: term.id, file }, coding), BYTES)
    const place = { kind: 'directory', root } as const
    const { terms, missing } = unwrap(
      await readBack({ place, cluster: 'shop', directory, keyFile: '', present: [], signal }),
    )
    const here = readdirSync(path.join(directory, term.id)).filter((name) => name.endsWith('.gz'))
    return { files: terms.flatMap(({ files }) => files.map(({ name }) => name)), here, missing }
  }

  it('names what the index has and the place has not, and reads the rest', async () => {
    const named = ['bin.000001', 'bin.000002', 'bin.000003', 'bin.000004']
    expect(await readFrom({ named, there: ['bin.000002', 'bin.000004'] })).to.deep.equal({
      files: ['bin.000002', 'bin.000004'],
      here: ['bin.000002.gz', 'bin.000004.gz'],
      missing: ['1-db1_3306/bin.000003'],
    })
  })

  it('misses nothing that was purged, and everything where nothing is left', async () => {
    const named = ['bin.000001', 'bin.000002']
    expect((await readFrom({ named, there: ['bin.000002'] })).missing).to.deep.equal([])
    expect((await readFrom({ named, there: [] })).missing).to.have.lengthOf(2)
  })
})
