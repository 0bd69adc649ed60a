/**
 * Node's `http`. Imported as a module, it would load `fetch` as well: a module evaluates all its exports, and some of those of
 * `node:http` come from there. That took 70 ms of every start.
 */
export const { createServer, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http')
