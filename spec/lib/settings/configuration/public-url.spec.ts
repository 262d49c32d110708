import { expect } from 'chai'
import { publicUrl } from '../../../../lib/settings/configuration/public-url.js'
import { defaultSettings } from '../../../../lib/settings/index.js'

describe('publicUrl', () => {
  const of = (given: Parameters<typeof defaultSettings>[0]) => publicUrl(defaultSettings(given), 'manager1')

  it('is what is set, without a slash at the end', () => {
    expect(of({ 'api-public-url': 'https://manager.example/' })).to.equal('https://manager.example')
  })

  it('is the name of the machine with the port of the API, where nothing is set', () => {
    expect(of({})).to.equal('https://manager1:10005')
    expect(of({ 'api-port': 20005, 'api-bind': '::' })).to.equal('https://manager1:20005')
  })

  it('is the address that the API is bound to', () => {
    expect(of({ 'api-bind': '127.0.0.1', 'api-port': 20005 })).to.equal('https://127.0.0.1:20005')
    expect(of({ 'api-bind': '::1' })).to.equal('https://[::1]:10005')
  })

  it('is not known where any port may be taken', () => {
    expect(of({ 'api-port': 0 })).to.equal('')
  })
})
