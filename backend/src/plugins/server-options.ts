/** How Fastify itself is set up: its bounds, and a log that cannot hold a secret. */
import type { Server } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyHttpOptions } from 'fastify'
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts'
import type { LogLevel } from '../config.ts'
import { answerClientError } from './client-error.ts'
import { answerError } from './errors.ts'
import { requestIds } from './request-id.ts'
import { RequestLog } from './request-log.ts'

/** Largest body in bytes: the largest that the protocol knows, a long password, has a few thousand. */
const BODY_LIMIT_BYTES = 64 * 1024
/** Longest part of a path that a route may read, in characters: room for a UUID and for an agent's name. */
const MAX_PARAM_LENGTH = 128
/**
 * How long a client may take to send one request, in milliseconds: Node knows one figure for all, and this is a large
 * file's. Headers and other bodies are bound by the connections' plugin; sockets, once open, by neither.
 */
const REQUEST_TIMEOUT_MS = 2 * HOUR_MS
/** Between two looks for requests that took too long, in milliseconds: with Node's own 30 s a bound of 30 s could be 60. */
const LOOK_MS = 5 * SECOND_MS

/** Takes the log's lines; standard output does otherwise. */
export interface LogStream {
  write(line: string): void
}

/** What {@link serverOptions} needs. */
export interface ServerSettings {
  readonly logLevel: LogLevel
  readonly logStream?: LogStream
  /** Addresses or networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
}

/** Hand these to `fastify()`. */
export function serverOptions({ logLevel, logStream, trustedProxies }: ServerSettings): FastifyHttpOptions<Server> {
  const trustProxy = proxyAddr.compile([...trustedProxies])
  return {
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: LOOK_MS,
      // Any other upgrade is an offer, such as curl's of HTTP/2: the request is answered as it is (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    trustProxy,
    genReqId: requestIds(trustProxy),
    logController: new RequestLog(),
    // Ours answers in the shape of every other error: see `stoppingPlugin`.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    logger: { ...loggerOptions(logLevel), ...(logStream ? { stream: logStream } : {}) },
  }
}

/** Lines are our own (see {@link RequestLog}). The redaction is a second line: no code of ours logs these fields. */
function loggerOptions(level: LogLevel) {
  const secrets = ['authorization', 'cookie', 'password', 'currentPassword', 'newPassword', 'token', 'accessToken']
  return {
    level,
    redact: {
      paths: ['req.headers', 'res.headers', 'headers', 'body', ...secrets.flatMap((name) => [name, `*.${name}`])],
      censor: '[redacted]',
    },
  }
}
