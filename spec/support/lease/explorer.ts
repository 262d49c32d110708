// Explores every order in which two instances, etcd, a database and the clock can take their steps. An instance that is not
// stepped for a while is one that was stopped: between any two of its steps everything else may happen.
import { decideOwnership, leftOf, mayBegin, noTerm, type Term, termOf } from '../../../lib/lease/index.js'

const LEASE_MS = 4_000
const STEP_MS = 1_000
const SECOND = 1_000
/** The number of every connection that has ended. */
const ENDED = 99
/** Renewals that each instance sends. */
const RENEWALS = 1
/** Connections that each instance opens to the database. */
const CONNECTIONS = 4

export interface Exploration {
  /** Seconds that pass at most. */
  readonly horizon: number
  /** Sessions hold locks, and statements of a session that was ended fail. */
  readonly fenced?: boolean
  /** Who claims a database ends the sessions of others. */
  readonly kills?: boolean
  readonly countsFromReply?: boolean
  /** What an instance reads of etcd may be old when it decides. */
  readonly isStale?: boolean
}

const steps = ['idle', 'look', 'judge', 'taken', 'admit', 'begin', 'send'] as const
type Step = (typeof steps)[number]

interface Instance {
  /** When the latest time of its lease was asked for. */
  asked: number
  renewal: { asked: number; arrived: boolean; held: boolean } | undefined
  renewals: number
  view: { owner: number; token: number } | undefined
  /** The reply to a claim, on its way. */
  claimed: number
  held: number
  term: Term
  /** Of the life that acts. */
  token: number
  step: Step
  /** Connection ids that it read as those of others. */
  strangers: number[]
  holder: number
  session: number
  connections: number
}

interface World {
  t: number
  revision: number
  owner: number
  token: number
  alive: boolean[]
  expires: number[]
  instances: Instance[]
  /** Connection that holds the lock of the owner, and those with locks of sessions; 0: none. */
  lock: number
  sessions: number[]
  /** Greatest token under which the database was claimed, and acted on. */
  claimedBy: number
  acted: number
}

const fresh = (): Instance => ({
  ...{ asked: 0, renewal: undefined, renewals: 0, view: undefined, claimed: 0, held: 0, term: noTerm, token: 0 },
  ...{ step: 'idle', strangers: [], holder: 0, session: 0, connections: 0 },
})

function beginning(): World {
  const term = termOf(1, { steady: 0, wall: 0 }, LEASE_MS)
  return {
    ...{ t: 0, revision: 1, owner: 0, token: 1, alive: [true, true], expires: [LEASE_MS, LEASE_MS] },
    instances: [{ ...fresh(), held: 1, term, token: 1 }, fresh()],
    ...{ lock: 0, sessions: [], claimedBy: 0, acted: 0 },
  }
}

export interface Explored {
  readonly violation: string | undefined
  readonly states: number
  /** The second owner acted in some order. */
  readonly laterActs: boolean
}

export function explore(options: Exploration): Explored {
  const first = beginning()
  const seen = new Set([keyOf(first)])
  const open = [first]
  let laterActs = false
  for (let world = open.pop(); world !== undefined; world = open.pop()) {
    laterActs ||= world.acted > 1
    for (const next of successors(world, options)) {
      if (typeof next === 'string') return { violation: next, states: seen.size, laterActs }
      simplify(next)
      const key = keyOf(next)
      if (seen.has(key)) continue
      seen.add(key)
      open.push(next)
    }
  }
  return { violation: undefined, states: seen.size, laterActs }
}

const copyOf = (world: World): World => ({
  ...world,
  alive: [...world.alive],
  expires: [...world.expires],
  instances: world.instances.map((one) => ({ ...one, renewal: one.renewal && { ...one.renewal } })),
})

/**
 * Gives states that differ in nothing that matters the same form: connections are numbered by what they hold, those that have
 * ended are one, and what is not read again is forgotten.
 */
function simplify(world: World): void {
  const living = [world.lock, ...world.sessions].filter((id) => id > 0)
  const numbered = (id: number): number => (id === 0 ? 0 : living.indexOf(id) + 1 || ENDED)
  world.lock = numbered(world.lock)
  world.sessions = world.sessions.map(numbered)
  world.expires = world.expires.map((at, index) => (world.alive[index] ? at : 0))
  for (const one of world.instances) {
    one.holder = numbered(one.holder)
    one.session = numbered(one.session)
    one.strangers = one.step === 'judge' ? [...new Set(one.strangers.map(numbered))].sort((a, b) => a - b) : []
  }
}

/** One character for each value: a set of texts is smaller and faster than one of JSON. */
function keyOf({ t, revision, owner, token, alive, expires, instances, lock, sessions, claimedBy, acted }: World) {
  const values = [t, revision, owner + 1, token, ...alive.map(Number), ...expires, lock, claimedBy, acted]
  values.push(sessions.length, ...sessions)
  for (const one of instances) {
    const { renewal, view, term } = one
    values.push(
      one.asked,
      renewal ? renewal.asked + 1 : 0,
      renewal ? Number(renewal.arrived) + 2 * Number(renewal.held) : 0,
    )
    values.push(
      one.renewals,
      view ? view.owner + 2 : 0,
      view?.token ?? 0,
      one.claimed,
      one.held,
      term.token,
      term.until.wall,
    )
    values.push(one.token, steps.indexOf(one.step), one.strangers.length, ...one.strangers)
    values.push(one.holder, one.session, one.connections)
  }
  return String.fromCharCode(...values)
}

type Next = World | string

function successors(world: World, options: Exploration): readonly Next[] {
  const nexts: Next[] = []
  const branch = (change: (copy: World) => string | undefined) => {
    const copy = copyOf(world)
    const violation = change(copy)
    nexts.push(violation ?? copy)
  }
  if (world.t < options.horizon * SECOND)
    branch((copy) => {
      copy.t += SECOND
      return undefined
    })
  for (const index of [0, 1]) {
    const one = world.instances[index]
    if (!one) continue
    if (world.alive[index] && world.t >= (world.expires[index] ?? 0)) branch((copy) => expire(copy, index))
    if (!one.renewal && one.renewals < RENEWALS && world.alive[index]) branch((copy) => send(copy, index))
    if (one.renewal && !one.renewal.arrived) branch((copy) => arrive(copy, index))
    if (one.renewal?.arrived) branch((copy) => hear(copy, index, options))
    if (!one.view)
      branch((copy) => {
        read(copy, index)
        return options.isStale ? undefined : decide(copy, index)
      })
    if (one.view) branch((copy) => decide(copy, index))
    if (one.claimed > 0) branch((copy) => take(copy, index))
    if (one.token > 0) branch((copy) => act(copy, index, options))
  }
  return nexts
}

const at = (world: World, index: number): Instance => world.instances[index] ?? fresh()
/** An id that nothing has, and that nobody knows as another's. */
function connect(world: World, one: Instance): number {
  one.connections += 1
  return 1 + Math.max(0, world.lock, ...world.sessions)
}

const moment = (t: number) => ({ steady: t, wall: t })
const left = (world: World, one: Instance): number => leftOf(one.term, one.token, moment(world.t))

function expire(world: World, index: number): undefined {
  world.alive[index] = false
  if (world.owner === index) {
    world.owner = -1
    world.token = 0
  }
}

function send(world: World, index: number): undefined {
  const one = at(world, index)
  one.renewal = { asked: world.t, arrived: false, held: false }
  one.renewals += 1
}

function arrive(world: World, index: number): undefined {
  const { renewal } = at(world, index)
  if (!renewal) return
  renewal.arrived = true
  renewal.held = world.alive[index] === true
  if (renewal.held) world.expires[index] = world.t + LEASE_MS
}

function hear(world: World, index: number, { countsFromReply = false }: Exploration): undefined {
  const one = at(world, index)
  if (!one.renewal) return
  const { asked, held } = one.renewal
  one.renewal = undefined
  if (!held) {
    one.held = 0
    one.term = noTerm
    return
  }
  one.asked = countsFromReply ? world.t : asked
  if (one.held > 0) one.term = termOf(one.held, moment(one.asked), LEASE_MS)
}

function read(world: World, index: number): undefined {
  at(world, index).view = { owner: world.owner, token: world.token }
}

function decide(world: World, index: number): undefined {
  const one = at(world, index)
  const { owner = -1, token = 0 } = one.view ?? {}
  one.view = undefined
  const acts = decideOwnership({
    ...{ self: String(index), leased: leftOf(termOf(1, moment(one.asked), LEASE_MS), 1, moment(world.t)) > 0 },
    instances: [0, 1].filter((id) => world.alive[id]).map((id) => ({ id: String(id), site: '' })),
    clusters: [{ name: 'c', weight: 1, site: '' }],
    owners: new Map(owner < 0 ? [] : [['c', { instance: String(owner), token }]]),
    held: new Map(one.held > 0 ? [['c', one.held]] : []),
    overdue: new Set(['c']),
  })
  for (const { type } of acts) {
    if (type === 'stand-down') {
      one.held = 0
      one.term = noTerm
    }
    if (type === 'take') one.claimed = token
    if (type === 'claim' && world.owner < 0 && world.alive[index]) {
      world.revision += 1
      world.owner = index
      world.token = world.revision
      one.claimed = world.revision
    }
  }
}

/** The former life of the instance has ended by then, and its sessions with it. */
function take(world: World, index: number): undefined {
  const one = at(world, index)
  one.held = one.claimed
  one.token = one.claimed
  one.claimed = 0
  one.term = termOf(one.held, moment(one.asked), LEASE_MS)
  if (world.lock === one.holder) world.lock = 0
  world.sessions = world.sessions.filter((id) => id !== one.session)
  Object.assign(one, { step: 'idle', strangers: [], holder: 0, session: 0 })
}

/** One step of changing the database: as lib/effect/kit/claims.ts does it, each exchange with the database is one. */
function act(world: World, index: number, { fenced = true, kills = true }: Exploration): string | undefined {
  const one = at(world, index)
  const isProven = left(world, one) > 0
  const go = (step: Step): undefined => {
    one.step = step
    return undefined
  }
  switch (one.step) {
    case 'idle':
      if (!isProven) return undefined
      if (!fenced || world.sessions.includes(one.session)) return go('begin')
      return go(world.lock === one.holder && one.holder > 0 ? 'admit' : 'look')
    case 'look':
      one.strangers = [world.lock, ...world.sessions].filter((id) => id > 0 && id !== one.holder && id !== one.session)
      return go('judge')
    case 'judge':
      if (!isProven) return go('idle')
      if (one.strangers.length > 0 && kills) {
        world.sessions = world.sessions.filter((id) => !one.strangers.includes(id))
        if (one.strangers.includes(world.lock)) world.lock = 0
        return go('look')
      }
      if (world.lock > 0 && kills) return go('look')
      if (one.connections >= CONNECTIONS) return go('idle')
      one.holder = connect(world, one)
      world.lock = one.holder
      return go('taken')
    case 'taken':
      if (!isProven) {
        if (world.lock === one.holder) world.lock = 0
        return go('idle')
      }
      world.claimedBy = Math.max(world.claimedBy, one.token)
      return go('admit')
    case 'admit':
      if (one.connections >= CONNECTIONS) return go('idle')
      // The lock of the session is taken, then the holder of the owner's lock is read: one statement after the other.
      if (world.lock !== one.holder || !isProven) return go('idle')
      one.session = connect(world, one)
      world.sessions = [...world.sessions, one.session]
      return go('begin')
    case 'begin':
      return go(mayBegin(left(world, one), STEP_MS, LEASE_MS) ? 'send' : 'idle')
    case 'send': {
      const isRefused = fenced && !world.sessions.includes(one.session)
      one.step = 'idle'
      if (isRefused) return undefined
      if (one.token < world.claimedBy || one.token < world.acted)
        return `token ${one.token} acts after ${Math.max(world.claimedBy, world.acted)} at ${world.t} ms`
      world.acted = one.token
      // Without locks the database knows only who acts.
      if (!fenced) world.claimedBy = Math.max(world.claimedBy, one.token)
      return undefined
    }
  }
}
