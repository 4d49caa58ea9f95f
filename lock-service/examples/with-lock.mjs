#!/usr/bin/env node
// with-lock.mjs <name> <command> [argument...] runs the command under a lock, which it extends until the command has ended.
// Exits as the command does, with 75 if somebody else holds the lock, with 69 if it cannot run it for another reason.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
const { LOCK_URL = 'http://localhost:8080', LOCK_API_KEY = '', LOCK_TTL = 30 } = process.env
const [name, command, ...args] = process.argv.slice(2); if (!command) console.error('usage: with-lock.mjs <name> <command> [argument...]'), process.exit(64)
const headers = { 'X-API-Key': LOCK_API_KEY, 'Lock-Token': randomUUID() } // Ours: a lost answer is asked for again.
const third = Math.floor(LOCK_TTL * 1000 / 3) // One until we extend, one to try again, one for the last try: then the lock has expired.
const url = `${LOCK_URL}/locks/${encodeURIComponent(name)}?ttl=${third * 3}ms`
async function ask(method, end = Date.now() + third) {
  const answer = await fetch(url, { method, headers, signal: AbortSignal.timeout(third) }).catch((error) => error)
  return (answer.status ?? 503) !== 503 || Date.now() > end ? answer : sleep(1000).then(() => ask(method, end))
}
let child, code
for (const each of ['SIGINT', 'SIGTERM']) process.on(each, (_, number) => { child ? child.kill() : code = 128 + number })
const answer = await ask('PUT')
if (!answer.ok) code = answer.status === 409 ? 75 : 69, console.error('No lock:', answer.text ? await answer.text() : `${answer.cause ?? answer}`)
if (!code) {
  child = spawn(command, args, { stdio: 'inherit' })
  const guard = child.pid && spawn(process.execPath, ['-e', `process.stdin.resume().on('end', () => process.kill(${child.pid}))`], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }) // Its input ends if we are killed.
  const end = once(child, 'exit').then(([status, signal]) => status ?? 128 + constants.signals[signal], (error) => console.error(error.message) ?? 69)
  while (await Promise.race([end, sleep(third)]) === undefined) (await ask('PUT')).status === 200 || child.kill()
  code = await end, guard?.kill('SIGKILL')
}
await ask('DELETE').then(() => process.exit(code))
