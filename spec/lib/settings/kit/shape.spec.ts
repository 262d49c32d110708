import path from 'node:path'
import { expect } from 'chai'
import { isSecret, reveal } from '../../../../lib/base/secret.js'
import {
  boolean,
  credential,
  filePath,
  integer,
  nonEmpty,
  oneOf,
  port,
  type Shape,
  secretText,
  size,
  text,
} from '../../../../lib/settings/kit/shape.js'

const read = <T>(shape: Shape<T>, input: unknown): T | 'refused' => {
  const value = shape.parse(input)
  return value.ok ? value.value : 'refused'
}

describe('boolean', () => {
  for (const [input, value] of [
    [true, true],
    ['TRUE', true],
    [' on ', true],
    [1, true],
    ['off', false],
    ['0', false],
    ['yes', 'refused'],
    ['', 'refused'],
    [[true], 'refused'],
  ] as const)
    it(`reads ${JSON.stringify(input)} as ${value}`, () => {
      expect(read(boolean(), input)).to.equal(value)
    })
})

describe('integer', () => {
  for (const [input, value] of [
    [0, 0],
    ['10', 10],
    [' +5 ', 5],
    [11, 'refused'],
    ['-1', 'refused'],
    [1.5, 'refused'],
    ['1e1', 'refused'],
    ['', 'refused'],
    [true, 'refused'],
    [Number.POSITIVE_INFINITY, 'refused'],
  ] as const)
    it(`from 0 to 10 reads ${JSON.stringify(input)} as ${value}`, () => {
      expect(read(integer({ max: 10 }), input)).to.equal(value)
    })

  it('says range and unit of what is allowed', () => {
    expect(integer({ min: 1, max: 60, unit: 'seconds' }).allowed).to.equal('a whole number from 1 to 60 (seconds)')
  })

  it('is a string on the wire when quoted', () => {
    expect(port({ quoted: true }).plain(10_005)).to.equal('10005')
  })
})

describe('size', () => {
  for (const [unit, input, value] of [
    ['MB', '256', 256],
    ['MB', '4G', 4096],
    ['MB', '4 GiB', 4096],
    ['GB', '2T', 2048],
    ['GB', '512M', 'refused'],
    ['GB', '1536M', 'refused'],
    ['MB', 0, 'refused'],
    ['MB', '4X', 'refused'],
  ] as const)
    it(`in ${unit} reads ${input} as ${value}`, () => {
      expect(read(size(unit), input)).to.equal(value)
    })
})

describe('text', () => {
  it('takes numbers and switches of TOML as text', () => {
    expect([read(text(), 7), read(text(), true)]).to.deep.equal(['7', 'true'])
  })

  it('refuses control characters and structures', () => {
    expect([read(text(), 'a\nb'), read(text(), ['a']), read(text(), undefined)]).to.deep.equal(Array(3).fill('refused'))
  })
})

describe('oneOf', () => {
  const mode = oneOf(['manual', 'automatic'], { true: 'manual' })

  it('reads its choices in any case, and synonyms', () => {
    expect([read(mode, 'AUTOMATIC'), read(mode, true)]).to.deep.equal(['automatic', 'manual'])
  })

  it('refuses anything else, and names no property of objects', () => {
    expect([read(mode, 'compress'), read(mode, 'constructor'), read(mode, '')]).to.deep.equal(Array(3).fill('refused'))
  })
})

describe('credential', () => {
  it('is a secret of user and password', () => {
    const value = read(credential(), 'root:a:b')
    expect(isSecret(value) && reveal(value)).to.equal('root:a:b')
  })

  it('does not show the value it refuses', () => {
    const refused = credential().parse('onlyapassword')
    expect(refused.ok).to.equal(false)
    expect(JSON.stringify(refused)).not.to.contain('onlyapassword')
  })
})

describe('filePath', () => {
  it('is absolute from the moment it is read', () => {
    expect(read(filePath(), 'data')).to.equal(path.resolve('data'))
    expect(read(filePath(), '/var/lib/../data/')).to.equal('/var/data')
  })

  it('leaves nothing as it is, unless it must be something', () => {
    expect(read(filePath(), '')).to.equal('')
    expect(read(filePath(nonEmpty), '')).to.equal('refused')
  })
})

describe('secretText', () => {
  it('keeps any text as a secret', () => {
    expect(String(read(secretText(), 'hidden'))).to.equal('*:*')
  })
})
