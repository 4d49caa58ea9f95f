#!/usr/bin/env node
// Runs a command while it holds a lock of lock-service. Needs Node.js 18 only.
//
//   with-lock.mjs <name> <command> [argument...]
//
// Environment:
//   LOCK_URL      the address of the service; default http://localhost:8080
//   LOCK_API_KEY  the API key
//   LOCK_TTL      the ttl of the lock in whole seconds, 3 to 86400; default 30
//
// Exit codes, the same in with-lock.sh, with_lock.py and with-lock.mjs:
//   64   usage: the name or the command is missing, or LOCK_TTL is invalid
//   69   the lock could not be acquired: the service is unavailable or rejected the request
//   70   the lock was lost, and the command was ended
//   75   another client holds the lock
//   126  the command cannot be executed
//   127  the command does not exist
//   128 + n, if signal n (SIGHUP, SIGINT or SIGTERM) was sent to this program, or ended the command
// Otherwise the exit code of the command.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const [name, command, ...args] = process.argv.slice(2)
if (!name || !command) {
  console.error('usage: with-lock.mjs <name> <command> [argument...]')
  process.exit(64)
}

const ttl = process.env.LOCK_TTL || '30'
if (!/^[1-9][0-9]{0,4}$/.test(ttl) || ttl < 3 || ttl > 86400) {
  console.error(`LOCK_TTL must be a whole number of seconds from 3 to 86400, not '${ttl}'`)
  process.exit(64)
}

const base = process.env.LOCK_URL || 'http://localhost:8080'
const url = `${base}/locks/${encodeURIComponent(name)}?ttl=${ttl}s`
// The client chooses the token, so that it can repeat a request whose response was lost.
const headers = { 'Lock-Token': randomUUID() }
const key = process.env.LOCK_API_KEY?.trim()
if (key) {
  headers['X-API-Key'] = key
}

// The lock is extended after one third of its ttl, which counts from the request, not from its
// response. The second third is for retries, and the last one for the response to the last retry.
// Half a second of it is left to end the command.
const third = Math.floor(ttl * 1000 / 3)
const responseTime = third - 500
const pause = 1000
const NO_RESPONSE = 'no response'
const LOST = 70
let sent

// A failure without an HTTP response is treated as 503. A redirection is not followed: it would
// send the key elsewhere.
async function send(method) {
  try {
    const signal = AbortSignal.timeout(responseTime)
    return await fetch(url, { method, headers, redirect: 'manual', signal })
  } catch (error) {
    return new Response(String(error.cause ?? error), { status: 503, statusText: NO_RESPONSE })
  }
}

// Returns the first 1000 characters of the body, or fewer if it breaks off or is too slow. The
// signal of the request also limits the time for the body.
async function startOfBody(response) {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true })
      if (text.length >= 1000) {
        break
      }
    }
  } catch {
    // The body is only shown in a message, which contains the status in any case.
  }
  return text.slice(0, 1000)
}

async function request(method) {
  sent = performance.now()
  while (true) {
    const response = await send(method)
    const stopped = method === 'PUT' && exitCodeIfStopped
    if (response.status !== 503 || stopped || performance.now() + pause > sent + third) {
      return response
    }
    await sleep(pause)
  }
}

// Starts a process that ends the command if this one is killed and cannot do so: the standard
// input of the watchdog is a pipe from this process, and ends with this process.
function startWatchdog(pid) {
  const script = `process.stdin.resume().on('end', () => process.kill(${pid}))`
  const stdio = ['pipe', 'ignore', 'ignore']
  return spawn(process.execPath, ['-e', script], { stdio, detached: true })
    .on('error', (error) => console.error(`No watchdog could be started: ${error.message}`))
}

async function exitCode(child) {
  try {
    const [code, signal] = await once(child, 'exit')
    return code ?? 128 + constants.signals[signal]
  } catch (error) {
    console.error(error.message)
    return error.code === 'ENOENT' ? 127 : 126
  }
}

let child
let exitCodeIfStopped

for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
  process.on(signal, (_, number) => {
    exitCodeIfStopped ??= 128 + number
    child?.kill()
  })
}

async function runUnderLock() {
  const response = await request('PUT')
  if (exitCodeIfStopped) {
    return exitCodeIfStopped
  }
  if (response.status === 409) {
    console.error(`The lock ${name} is held by another client`)
    return 75
  }
  if (!response.ok) {
    const status = response.statusText === NO_RESPONSE ? NO_RESPONSE : response.status
    const detail = await startOfBody(response)
    console.error(`The lock ${name} could not be acquired: ${status}: ${detail}`)
    return exitCodeIfStopped ?? 69
  }
  child = spawn(command, args, { stdio: 'inherit' })
  const ended = exitCode(child)
  // A command that could not be started has no pid.
  const watchdog = child.pid && startWatchdog(child.pid)
  const untilDue = () => sleep(Math.max(0, sent + third - performance.now()))
  while (await Promise.race([ended, untilDue()]) === undefined) {
    const extended = await request('PUT')
    if (extended.status !== 200) {
      console.error(`The lock ${name} is lost`)
      exitCodeIfStopped ??= LOST
      child.kill()
    }
  }
  watchdog?.kill('SIGKILL')
  return exitCodeIfStopped ?? ended
}

try {
  new Request(url, { headers })
} catch (error) {
  console.error(`The lock ${name} could not be acquired: ${error.cause ?? error}`)
  process.exit(69)
}

const code = await runUnderLock()
// Also after an error: the service may have granted the lock although the response was lost.
await request('DELETE')
process.exit(code)
