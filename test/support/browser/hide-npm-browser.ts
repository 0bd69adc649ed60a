import { registerHooks } from 'node:module'

// Imported before a program: for it the npm package with a browser is not installed, as on most machines.

registerHooks({
  resolve(name, context, next) {
    if (name === '@sparticuz/chromium') throw new Error('not installed')
    return next(name, context)
  },
})
