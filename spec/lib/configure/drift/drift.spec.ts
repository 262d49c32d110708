// Drift as values: what is kept, what a later change takes over, what decisions hold for how long.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  type DriftRecord,
  decideDrift,
  editOverlay,
  judgeDrift,
  noDrift,
  parseOptions,
  renderAgreed,
  renderDelta,
  sameValue,
  settleRecord,
  shownValue,
} from '../../../../lib/configure/index.js'

type Values = Readonly<Record<string, string>>

const look = (
  expected: Values,
  variables: Values,
  { record = noDrift, preserved = [] as readonly string[], keeps = true, behind = false } = {},
) =>
  judgeDrift({
    ...{ expected: new Map(Object.entries(expected)), server: { variables, plugins: [] }, record, keeps, behind },
    preserved: new Set(preserved),
  })
const states = ({ differences }: ReturnType<typeof look>) =>
  Object.fromEntries(differences.map(({ name, state }) => [name, state]))
const delta = (record: DriftRecord) => Object.fromEntries(parseOptions(renderDelta(record)))

describe('judgeDrift', () => {
  it('keeps what a server runs with and its tags do not say', () => {
    const seen = look({ a: '1', b: '2' }, { a: '1', b: '3' })
    expect(states(seen)).to.deep.equal({ b: 'undecided' })
    expect(delta(seen.record)).to.deep.equal({ b: '3' })
  })

  it('lets a later change of the tags win over what was kept', () => {
    const first = look({ b: '2' }, { b: '3' })
    const changed = look({ b: '5' }, { b: '3' }, { record: first.record })
    expect(states(changed)).to.deep.equal({ b: 'pending' })
    expect(delta(changed.record)).to.deep.equal({})
    expect(states(look({ b: '5' }, { b: '3' }, { record: changed.record }))).to.deep.equal({ b: 'pending' })
  })

  it('takes a variable of an added tag for no drift', () => {
    const first = look({ a: '1' }, { a: '1', b: '3' })
    expect(states(look({ a: '1', b: '2' }, { a: '1', b: '3' }, { record: first.record }))).to.deep.equal({
      b: 'pending',
    })
  })

  it('takes nothing for drift when the tags were changed before the first look', () => {
    const first = look({ a: '2' }, { a: '1' }, { behind: true })
    expect(states(first)).to.deep.equal({ a: 'pending' })
    expect(delta(first.record)).to.deep.equal({})
    expect(states(look({ a: '2' }, { a: '1' }, { record: first.record }))).to.deep.equal({ a: 'pending' })
  })

  it('still sees what is set while the servers need a restart', () => {
    const first = look({ a: '1', b: '1' }, { a: '1', b: '1' })
    const behind = look({ a: '1', b: '2' }, { a: '3', b: '1' }, { record: first.record, behind: true })
    expect(states(behind)).to.deep.equal({ a: 'undecided', b: 'pending' })
  })

  it('sees what somebody sets while a change is pending', () => {
    const first = look({ a: '1' }, { a: '1' })
    const pending = look({ a: '2' }, { a: '1' }, { record: first.record })
    expect(states(look({ a: '2' }, { a: '7' }, { record: pending.record }))).to.deep.equal({ a: 'undecided' })
  })

  it('forgets everything about a variable that is as its tags say', () => {
    const { record } = look({ a: '1' }, { a: '1' }, { record: look({ a: '1' }, { a: '2' }).record })
    expect(record).to.deep.equal({ ...noDrift, expected: { a: '1' } })
  })

  it('holds an accepted difference as long as the tags say the same', () => {
    const first = look({ a: '1' }, { a: '2' })
    const [difference] = first.differences
    if (!difference) throw new Error('no difference')
    const record = decideDrift(first.record, difference, 'accept')
    expect(states(look({ a: '1' }, { a: '2' }, { record }))).to.deep.equal({ a: 'agreed' })
    expect(states(look({ a: '1' }, { a: '4' }, { record }))).to.deep.equal({ a: 'undecided' })
    expect(states(look({ a: '3' }, { a: '2' }, { record }))).to.deep.equal({ a: 'pending' })
  })

  it('lets the tags win at the next start where a difference was cleared', () => {
    const first = look({ a: '1' }, { a: '2' })
    const [difference] = first.differences
    if (!difference) throw new Error('no difference')
    const record = decideDrift(first.record, difference, 'clear')
    const again = look({ a: '1' }, { a: '2' }, { record })
    expect(states(again)).to.deep.equal({ a: 'cleared' })
    expect(delta(again.record)).to.deep.equal({})
    expect(states(look({ a: '1' }, { a: '1' }, { record: again.record }))).to.deep.equal({})
  })

  it('leaves a preserved variable alone whatever the tags say', () => {
    const options = { preserved: ['a'] }
    expect(states(look({ a: '1' }, { a: '2' }, options))).to.deep.equal({ a: 'preserved' })
    const { record } = look({ a: '1' }, { a: '2' }, options)
    expect(states(look({ a: '5' }, { a: '2' }, { ...options, record }))).to.deep.equal({ a: 'preserved' })
  })

  it('keeps nothing where differences are not to be kept', () => {
    const seen = look({ a: '1' }, { a: '2' }, { keeps: false })
    expect(states(seen)).to.deep.equal({ a: 'pending' })
    expect(delta(seen.record)).to.deep.equal({})
  })

  it('compares nothing that roles decide, nor what no variable shows', () => {
    expect(look({ read_only: 'ON', skip_slave_start: '' }, { read_only: 'OFF' }).differences).to.deep.equal([])
  })

  const values = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3', 'on'))

  it('says the same at a second look, and remembers the same', () => {
    fc.assert(
      fc.property(values, values, values, (before, expected, running) => {
        const { record } = look(before, running)
        const first = look(expected, running, { record })
        expect(look(expected, running, { record: first.record })).to.deep.equal(first)
      }),
    )
  })

  it('never keeps a value against other words of the tags than those of its time', () => {
    fc.assert(
      fc.property(values, fc.array(fc.tuple(values, values), { maxLength: 6 }), (start, steps) => {
        let record = look(start, {}).record
        for (const [expected, running] of steps) {
          const wanted = new Map(Object.entries(expected))
          const built = settleRecord(record, wanted)
          for (const [name, one] of Object.entries({ ...built.undecided, ...built.agreed }))
            expect(sameValue(wanted.get(name) ?? '\0', one.expected), name).to.equal(true)
          record = look(expected, running, { record: built }).record
          expect(settleRecord(record, wanted)).to.equal(record)
        }
      }),
    )
  })
})

describe('the files of custom.d', () => {
  it('give back what is kept, whatever it holds', () => {
    const kept = fc.dictionary(
      fc
        .stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
        .filter((name) => !/^(plugin_load_add|optimizer_switch|log_bin|skip_log_bin|loose_.*)$/.test(name)),
      fc.stringMatching(/^[ -~]{0,20}$/).map((text) => text.trim()),
    )
    fc.assert(
      fc.property(kept, (values) => {
        const undecided = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, { value, expected: 'x' }]),
        )
        expect(delta({ ...noDrift, undecided })).to.deep.equal(values)
      }),
    )
  })

  it('write switches and the binary log as servers read them', () => {
    const undecided = {
      'optimizer_switch.mrr': { value: 'off', expected: 'on' },
      log_bin: { value: 'OFF', expected: '/var/log/bin' },
    }
    const text = renderDelta({ undecided })
    expect(text).to.contain('\nskip_log_bin\n').and.to.contain('\noptimizer_switch = mrr=off\n')
    expect(delta({ ...noDrift, undecided })).to.deep.equal({ 'optimizer_switch.mrr': 'off', log_bin: 'OFF' })
  })

  it('keep what people wrote beside', () => {
    const own = '# ours\n[mysqld]\nmax_connections = 5 # few\n[client]\nport = 1\n'
    const set = editOverlay(own, 'sort_buffer_size', '1048576')
    expect(Object.fromEntries(parseOptions(set))).to.deep.equal({ max_connections: '5', sort_buffer_size: '1048576' })
    expect(editOverlay(set, 'sort_buffer_size', undefined)).to.contain('max_connections = 5 # few')
    expect(parseOptions(editOverlay(own, 'max_connections', undefined)).size).to.equal(0)
  })

  it('hold exactly the accepted values', () => {
    const a = { a: { value: '1', expected: '2' } }
    const written = renderAgreed('[mysqld]\nb = 3\n', {}, a)
    expect(Object.fromEntries(parseOptions(written))).to.deep.equal({ a: '1', b: '3' })
    expect(Object.fromEntries(parseOptions(renderAgreed(written, a, {})))).to.deep.equal({ b: '3' })
  })
})

describe('sameValue', () => {
  for (const [one, other, same] of [
    ['16M', '16777216', true],
    ['433K', '442368', true],
    ['ON', '1', true],
    ['OFF', '0', true],
    ['1', '1.000000', true],
    ['STRICT_TRANS_TABLES,NO_ZERO_DATE', 'no_zero_date,strict_trans_tables', true],
    ['/data/', '/data', true],
    ['2', 'ON', false],
    ['', 'OFF', false],
    ['2M', '1048576', false],
  ] as const)
    it(`takes ${one} and ${other} for ${same ? 'the same' : 'different'}`, () => {
      expect(sameValue(one, other)).to.equal(same)
      expect(sameValue(other, one)).to.equal(same)
    })
})

describe('shownValue', () => {
  const server = {
    variables: {
      optimizer_switch: 'mrr=on,icp=off',
      log_bin: 'ON',
      log_bin_basename: '/l/bin',
      tx_isolation: 'SERIALIZABLE',
    },
    plugins: [{ name: 'DISKS', status: 'ACTIVE', library: 'disks.so' }],
  }
  for (const [name, value] of [
    ['optimizer_switch.icp', 'off'],
    ['log_bin', '/l/bin'],
    ['transaction_isolation', 'SERIALIZABLE'],
    ['plugin_load_add.disks', 'loaded'],
    ['plugin_load_add.ha_s3', ''],
    ['nothing', undefined],
  ] as const)
    it(`finds ${name}`, () => {
      expect(shownValue(name, server)).to.equal(value)
    })
})
