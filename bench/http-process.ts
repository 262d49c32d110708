// The floor of the gateway: node:http that answers two paths with fixed bytes, in a process of its own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer } from './child.js'
import { roleText, viewBytes } from './replies.js'

const server = createServer((req, res) => {
  const isView = req.url === '/view'
  const body = isView ? viewBytes : roleText
  const type = isView ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8'
  res.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length })
  res.end(body)
})

export const httpAnswers = {
  start: () =>
    new Promise<{ readonly port: number }>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port })),
    ),
}

answer(httpAnswers)
