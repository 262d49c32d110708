// The lines of agents on the ports of the API: checks of HAProxy, and statements for the health agents of databases.
import type { KeyObject } from 'node:crypto'
import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import { signStatement } from '../../../lib/agent/statement.js'
import { answerAgent, parseAgentQuestion, parseStatementQuestion, stateOf } from '../../api/kit/agent-check.js'

/** The answer to a first packet that is no HTTP; undefined when it is no line of an agent either. */
export const createAgentLines =
  (manager: ManagerFace, key: KeyObject | undefined) =>
  (bytes: Buffer): string | undefined => {
    const check = parseAgentQuestion(bytes)
    if (check) return answerAgent(manager, check)
    const question = parseStatementQuestion(bytes)
    if (!question) return undefined
    const statement = stateOf(manager, question)
    return statement && key ? `${signStatement(statement, key)}\n` : ''
  }
