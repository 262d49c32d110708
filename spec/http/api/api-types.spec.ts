// The types of the API as the build prints them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { openApiDocument, printApiTypes, routes } from '../../../http/api/index.js'
import { packageRoot } from '../../../lib/base/package-root.js'

const open = { description: 'x' }
const print = (paths: object, schemas: object = {}) => printApiTypes({ paths, components: { schemas } })
const shape = (schema: object): string => {
  const [, , text = ''] =
    print({}, { It: schema })
      .split('\n\n')[1]
      ?.match(/(type It = |interface It )([\s\S]*)/) ?? []
  return text
}
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const operation = (fields: object) => ({ summary: 'Does it.', parameters: [], responses: {}, ...fields })
const ok = (content?: object) => ({
  responses: { 200: { ...open, ...(content ? { content } : {}) }, default: ref('Problem') },
})
const plan = { name: 'plan', in: 'query', required: false, schema: { type: 'boolean' } }

describe('printApiTypes', () => {
  it('is what the dashboard and the client of the command line were compiled with', () => {
    const text = readFileSync(path.join(packageRoot, 'http/client/api/generated.ts'), 'utf8')
    expect(printApiTypes(openApiDocument(routes)) === text, 'printed again, generated.ts is the same').to.equal(true)
  })

  it('has every method of every path of every row, and no other', () => {
    const text = printApiTypes(openApiDocument(routes))
    const printed = [...text.matchAll(/^ {2}'((?:GET|POST|PUT|DELETE) [^']+)': \{$/gm)].map(([, address]) => address)
    const offered = routes.flatMap(({ methods, paths }) =>
      paths.flatMap((at) => methods.map((method) => `${method} ${at}`)),
    )
    expect(printed).to.have.members([...new Set(offered)])
  })

  const shapes: readonly (readonly [title: string, schema: object, type: string])[] = [
    ['text', { type: 'string', pattern: 'x' }, 'string'],
    ['whole numbers', { type: 'integer', minimum: 0 }, 'number'],
    ['one of several words', { enum: ['on', "it's"] }, "'on' | 'it\\'s'"],
    ['one word', { type: 'string', const: 'yes' }, "'yes'"],
    ['alternatives, each once', { anyOf: [ref('A'), { type: 'null' }, ref('A')] }, 'A | null'],
    ['several types', { type: ['integer', 'string'] }, 'number | string'],
    ['all of several', { allOf: [ref('A'), ref('B')] }, 'A & B'],
    ['lists', { type: 'array', items: ref('A') }, 'readonly A[]'],
    ['lists of alternatives', { type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    ['lists of fixed length', { type: 'array', prefixItems: [{ type: 'number' }, ref('A')] }, 'readonly [number, A]'],
    ['lists that are empty', { type: 'array', items: { not: {} } }, 'readonly never[]'],
    ['tables', { type: 'object', additionalProperties: { type: 'number' } }, '{ readonly [key: string]: number }'],
    [
      'objects without fields',
      { type: 'object', properties: {}, additionalProperties: false },
      'Readonly<Record<string, never>>',
    ],
    ['anything', {}, 'unknown'],
    [
      'objects',
      { type: 'object', properties: { a: { type: 'string', description: 'of it' }, 'b-c': ref('A') }, required: ['a'] },
      "{\n  /** of it */\n  readonly a: string\n  readonly 'b-c'?: A\n}",
    ],
  ]
  for (const [title, schema, type] of shapes)
    it(`prints ${title}`, () => {
      expect(shape(schema).trimEnd()).to.equal(type)
    })

  it('refuses what it has no word for', () => {
    expect(() => shape({ type: 'date' })).to.throw('JSON Schema type date')
  })

  it('prints parameters, body and reply of an address', () => {
    const parameters = [
      { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', description: 'at most' } },
    ]
    const requestBody = {
      required: true,
      content: json({ type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }),
    }
    expect(print({ '/a/{name}': { post: operation({ parameters, requestBody, ...ok(json(ref('A'))) }) } })).to.contain(
      [
        '  /** Does it. */',
        "  'POST /a/:name': {",
        '    readonly params: {',
        '      readonly name: string',
        '    }',
        '    readonly query?: {',
        '      /** at most */',
        '      readonly limit?: number | string | undefined',
        '    }',
        '    readonly body: {',
        '      readonly to: string',
        '    }',
        '    readonly reply: A',
        '  }',
      ].join('\n'),
    )
  })

  const replies: readonly (readonly [title: string, fields: object, members: string])[] = [
    ['an empty answer', ok(), "readonly reply: ''"],
    ['a text', ok({ 'text/plain': { schema: { type: 'string' } } }), 'readonly reply: string'],
    ['a file', ok({ 'application/octet-stream': { schema: { type: 'string' } } }), 'readonly stream: true'],
    ['events', ok({ 'text/event-stream': { schema: { type: 'string' } } }), 'readonly stream: true'],
    [
      'JSON that plain clients get as text',
      ok({ ...json(ref('A')), 'text/plain': { schema: { type: 'string' } } }),
      'readonly reply: A',
    ],
    [
      'an action with a plan',
      { parameters: [plan], ...ok(json({ anyOf: [ref('A'), ref('Plan')] })) },
      'readonly reply: A\n    readonly plan: Plan',
    ],
    [
      'an action that answers with a text',
      { parameters: [plan], ...ok({ 'text/plain': { schema: { type: 'string' } }, ...json(ref('Plan')) }) },
      'readonly reply: string\n    readonly plan: Plan',
    ],
    [
      'an action without an answer',
      { parameters: [plan], ...ok(json(ref('Plan'))) },
      "readonly reply: ''\n    readonly plan: Plan",
    ],
  ]
  for (const [title, fields, members] of replies)
    it(`prints the reply of ${title}`, () => {
      expect(print({ '/a': { get: operation(fields) } })).to.contain(`'GET /a': {\n    ${members}\n  }`)
    })
})
