// Secrets that were rotated although file, environment or flag give them: which one holds after a start or a reload.
import { readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { isSecret, reveal } from '../../../../lib/base/secret.js'
import { type Configuration, effectiveValue, givenValue } from '../../../../lib/settings/configuration/configuration.js'
import {
  changeSetting,
  clearSetting,
  generateKeyFile,
  saveChanges,
  viewSettings,
} from '../../../../lib/settings/index.js'
import { fingerprint } from '../../../../lib/settings/secret/fingerprint.js'
import { type Ground, ground } from '../../../support/configuration/configuration.js'

const NAME = 'db-servers-credential'

/** Rotates it as the manager does, and saves it. */
async function rotate(configuration: Configuration, value: string): Promise<void> {
  const alpha = configuration.clusters.get('alpha')
  const given = alpha && givenValue(configuration.server, alpha, NAME)?.value
  const replaces = isSecret(given) ? { replaces: await fingerprint(given, configuration.key) } : {}
  const changed = unwrap(changeSetting(configuration, { scope: 'alpha', name: NAME, value, ...replaces }))
  expect(changed.save).to.equal('alpha')
  unwrap(await saveChanges(changed.configuration, 'alpha'))
}

function held({ server, clusters }: Configuration): string {
  const { value, origin } = effectiveValue(server, clusters.get('alpha') ?? server, NAME)
  return `${isSecret(value) ? reveal(value) : ''} ${origin.kind}`
}

async function loaded(place: Ground, options?: Parameters<Ground['load']>[0]) {
  const result = await place.load(options)
  if (!result.ok) throw new Error(result.faults.map(({ problem }) => problem).join())
  return result
}

const savedText = (place: Ground): string => readFileSync(path.join(place.datadir, 'alpha/alpha.toml'), 'utf8')
const config = (credential: string) => `[Default]\n[alpha]\n${NAME} = "${credential}"\n`

describe('a rotated secret', () => {
  for (const hasKey of [true, false])
    it(`holds as long as the file gives the old one, ${hasKey ? 'encrypted' : 'in clear'} on disk`, async () => {
      const place = ground(config('m:old'))
      if (hasKey) unwrap(await generateKeyFile(path.join(place.directory, 'key')))
      await rotate(await place.configuration(), 'm:new')
      expect(savedText(place).includes('m:new')).to.equal(!hasKey)
      expect(savedText(place)).to.not.contain('m:old')
      const again = await loaded(place)
      expect(held(again.configuration)).to.equal('m:new rotated')
      expect(again.warnings).to.deep.equal([])
      const view = viewSettings(again.configuration, 'alpha').find(({ name }) => name === NAME)
      expect(view).to.deep.include({ origin: 'rotated', immutable: false })
      expect(view?.replaces).to.equal(`${path.join(place.directory, 'config.toml')}:3`)
      expect(JSON.stringify(view)).to.not.match(/m:(old|new)/)
    })

  const places = [
    ['[Default]', `[Default]\n${NAME} = "m:old"\n[alpha]\n`, {}],
    ['the environment', '[Default]\n[alpha]\n', { environment: { MANAGER_DB_SERVERS_CREDENTIAL: 'm:old' } }],
    ['a flag', '[Default]\n[alpha]\n', { flags: [`--${NAME}=m:old`] }],
  ] as const
  for (const [title, text, options] of places)
    it(`holds in place of ${title}`, async () => {
      const place = ground(text)
      await rotate(await place.configuration(options), 'm:new')
      expect(held(await place.configuration(options))).to.equal('m:new rotated')
    })

  it('gives way to another value in the file, and does not come back with the old one', async () => {
    const place = ground(config('m:old'))
    await rotate(await place.configuration(), 'm:new')
    place.write('config.toml', config('m:mine'))
    const overtaken = await loaded(place)
    expect(held(overtaken.configuration)).to.equal('m:mine file')
    expect(overtaken.outdated).to.deep.equal(['alpha'])
    expect(overtaken.warnings.map(({ problem }) => problem).join())
      .to.contain('dropped')
      .and.not.contain('m:')
    unwrap(await saveChanges(overtaken.configuration, 'alpha'))
    expect(savedText(place)).to.not.contain(NAME)
    place.write('config.toml', config('m:old'))
    expect(held(await place.configuration())).to.equal('m:old file')
  })

  it('stays when the file gives none any more, and when it gives the old one again', async () => {
    const place = ground(config('m:old'))
    await rotate(await place.configuration(), 'm:new')
    place.write('config.toml', '[Default]\n[alpha]\n')
    const removed = await loaded(place)
    expect(held(removed.configuration)).to.equal('m:new saved')
    unwrap(await saveChanges(removed.configuration, 'alpha'))
    place.write('config.toml', config('m:old'))
    expect(held(await place.configuration())).to.equal('m:new rotated')
  })

  it('is replaced by the next rotation, by a change on request, and taken back by a clearing', async () => {
    const place = ground(config('m:old'))
    await rotate(await place.configuration(), 'm:new')
    await rotate(await place.configuration(), 'm:newer')
    expect(held(await place.configuration())).to.equal('m:newer rotated')
    const set = unwrap(changeSetting(await place.configuration(), { scope: 'alpha', name: NAME, value: 'm:set' }))
    expect(set.save).to.equal('alpha')
    unwrap(await saveChanges(set.configuration, 'alpha'))
    expect(held(await place.configuration())).to.equal('m:set rotated')
    const cleared = unwrap(clearSetting(await place.configuration(), { scope: 'alpha', name: NAME }))
    unwrap(await saveChanges(cleared.configuration, 'alpha'))
    expect(held(await place.configuration())).to.equal('m:old file')
  })

  it('replaces a change that was to last until restart', async () => {
    const place = ground(config('m:old'))
    const overlaid = unwrap(
      changeSetting(await place.configuration(), { scope: 'alpha', name: NAME, value: 'm:until restart' }),
    )
    expect(overlaid.save).to.equal(undefined)
    await rotate(overlaid.configuration, 'm:new')
    expect(held(await place.configuration({ running: overlaid.configuration }))).to.equal('m:until restart runtime')
    expect(held(await place.configuration())).to.equal('m:new rotated')
  })

  it('that cannot be opened is kept for when its key is back', async () => {
    const place = ground(config('m:old'))
    const [key, away] = [path.join(place.directory, 'key'), path.join(place.directory, 'away')]
    unwrap(await generateKeyFile(key))
    await rotate(await place.configuration(), 'm:new')
    renameSync(key, away)
    const blind = await loaded(place)
    expect(held(blind.configuration)).to.equal('m:old file')
    expect(blind.warnings.some(({ lost }) => lost)).to.equal(true)
    expect(blind.outdated).to.deep.equal([])
    unwrap(await saveChanges(blind.configuration, 'alpha'))
    renameSync(away, key)
    expect(held(await place.configuration())).to.equal('m:new rotated')
  })
})
