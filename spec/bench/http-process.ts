// The floor of the gateway: node:http that answers two paths with fixed heads and bytes, in a process of its own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer } from './child.js'
import { roleHeaders, roleText, viewBytes, viewHeaders } from './replies.js'

const server = createServer((req, res) => {
  const isView = req.url === '/view'
  res.writeHead(200, [...(isView ? viewHeaders : roleHeaders)])
  res.end(isView ? viewBytes : roleText)
})

export const httpAnswers = {
  start: () =>
    new Promise<{ readonly port: number }>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port })),
    ),
}

answer(httpAnswers)
