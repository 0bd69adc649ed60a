import { accessSync, constants, statSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseId } from '../contract/ids.ts'

// Parse the text of a variable. Each throws an Error whose message completes "NAME …".

const DURATION = /^(\d+)(ms|s|m|h|d)$/
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export function oneOf<const T extends string>(...choices: T[]) {
  return (text: string): T => {
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
    return found
  }
}

export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`)
    return value
  }
}

export function duration(min: string, max: string) {
  return (text: string): number => {
    const value = milliseconds(text)
    if (value === undefined) throw new Error('must be a duration such as 500ms, 30s, 15m, 12h or 2d')
    if (value < (milliseconds(min) ?? 0) || value > (milliseconds(max) ?? 0)) {
      throw new Error(`must be between ${min} and ${max}`)
    }
    return value
  }
}

function milliseconds(text: string): number | undefined {
  const match = DURATION.exec(text)
  return match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : undefined
}

export function httpAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new Error('must be an http or https address without query, fragment or password')
  }
  return url.href.replace(/\/+$/, '')
}

export function httpOrigin(text: string): string {
  const origin = httpAddress(text)
  if (new URL(origin).origin !== origin)
    throw new Error(`must have no path, such as ${new URL(origin).origin}`)
  return origin
}

export function corsOrigins(text: string): string[] {
  return text.split(',').map((part) => httpOrigin(part.trim()))
}

export function rateLimit(text: string): { requests: number; periodMs: number } {
  const [, requests, period = ''] = /^([1-9]\d{0,8})\/([^/]+)$/.exec(text) ?? []
  const periodMs = milliseconds(period) ?? 0
  if (periodMs < UNITS.s || periodMs > UNITS.d) {
    throw new Error('must be requests per time of 1s to 1d, such as 600/1m')
  }
  return { requests: Number(requests), periodMs }
}

export function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[a-z0-9.-]+$/i.test(text))
    throw new Error('must be an IP address or a host name')
  return text
}

export function program(text: string): string {
  const path = resolve(text)
  try {
    accessSync(path, constants.X_OK)
    if (statSync(path).isFile()) return path
  } catch {
    // Reported below.
  }
  throw new Error('must be the path of a program that can be started')
}

export function secret(text: string): string {
  if (text.length < 16) throw new Error('must have at least 16 characters')
  return text
}

export const EVERY_PROJECT = { has: () => true }

export function projectIds(text: string): { has(projectId: string): boolean } {
  if (text === 'everyone') return EVERY_PROJECT
  const ids = text.split(',').map((part) => parseId(part.trim()))
  if (ids.includes(undefined)) throw new Error('must be everyone, or ids of projects separated by commas')
  return new Set(ids)
}

const loopbackRange = new BlockList()
loopbackRange.addSubnet('127.0.0.0', 8, 'ipv4')
loopbackRange.addAddress('::1', 'ipv6')

export function isLoopback(host: string): boolean {
  const family = isIP(host)
  if (family === 0) return host.toLowerCase() === 'localhost'
  return loopbackRange.check(host, family === 4 ? 'ipv4' : 'ipv6')
}
