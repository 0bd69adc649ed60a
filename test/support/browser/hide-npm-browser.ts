import { registerHooks } from 'node:module'

// Imported before a program, to hide the npm package with a browser from it, which most machines do not have.

registerHooks({
  resolve(name, context, next) {
    if (name === '@sparticuz/chromium') throw new Error('not installed')
    return next(name, context)
  },
})
