// @module-tag browser

import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHung } from '../support/gallery/hang.ts'
import { hangCaptured } from '../support/gallery/hang-captured.ts'
import { hangTemplate } from '../support/gallery/hang-template.ts'
import { useVisitors } from '../support/gallery/visitor.ts'

const visit = useVisitors()

async function startTemplates() {
  const service = await startHung()
  const { url, projectId } = service
  const client = createClient({ server: url })
  const all = async () => {
    for await (const page of client.listTemplates(projectId)) return page
    return []
  }
  return { service, url, projectId, client, all, at: `${url}/projects/${projectId}` }
}

test('a request is saved as a template, which is run, edited and removed', async () => {
  const { service, projectId, all, at } = await startTemplates()
  const rootId = await hangCaptured(service, projectId, {
    created: service.now,
    tags: ['release'],
    options: { hide: ['#chat'] },
    pages: [{ name: 'Home' }, { name: 'Small', ownOptions: { width: 300, height: 200 } }],
  })
  const { page, complaints } = await visit(`${at}/roots/${rootId}`)
  await page.getByRole('button', { name: 'Save as template' }).click()
  await page.getByRole('heading', { name: 'New template' }).waitFor()
  await page.getByRole('button', { name: 'Save the template' }).click()
  await page.getByText('The name must be a string of 1 to 200 characters').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('templateName')
  await page.locator('#templateName').fill('Nightly')
  await page.getByRole('button', { name: 'Save the template' }).click()
  await page.locator('.template').waitFor()
  expect(await all()).toMatchObject([
    {
      name: 'Nightly',
      screenshotParameter: { width: 600, height: 400, tags: ['release'], hide: ['#chat'] },
      urls: [{ name: 'Home' }, { name: 'Small', width: 300, height: 200 }],
    },
  ])

  await page.getByRole('button', { name: 'Run now' }).click()
  await page.locator('.progress').waitFor()
  const [template] = await all()
  expect(page.url()).toBe(`${at}/roots/${template?.last?.rootId}`)

  await page.getByRole('link', { name: 'template Nightly' }).click()
  await page.getByRole('link', { name: 'Remove the filter template Nightly' }).waitFor()
  await expect.poll(() => page.locator('.root .from').allTextContents()).toEqual(['Nightly'])

  await page.getByRole('link', { name: 'Templates' }).click()
  await page.getByText('waiting').waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.locator('#templateName').fill('Weekly')
  await page.getByRole('button', { name: 'Save the template' }).click()
  await page.getByRole('heading', { name: 'Weekly' }).waitFor()
  expect(await all()).toMatchObject([{ name: 'Weekly', screenshotParameter: template?.screenshotParameter }])

  await page.getByRole('button', { name: 'Remove' }).click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('There are no templates yet').waitFor()
  expect(await all()).toEqual([])
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([])
})

test('secrets of a template are kept if their fields stay empty, and are not sent elsewhere', async () => {
  const { projectId, client, at } = await startTemplates()
  const { templateId } = await client.createTemplate(projectId, {
    name: 'With secrets',
    screenshotParameter: {
      sizes: [
        { width: 390, height: 844 },
        { width: 1280, height: 800 },
      ],
      headers: { authorization: 'Bearer 9f31' },
    },
    urls: [{ url: 'https://site.example/', name: 'Home', cookies: [{ name: 'a', value: '9f31' }] }],
  })
  const { page } = await visit(`${at}/templates/${templateId}`)
  await page.getByText('Fields that stay empty keep them').waitFor()
  await page.locator('#templateName').fill('Renamed')
  await page.getByRole('button', { name: 'Save the template' }).click()
  await page.getByRole('heading', { name: 'Renamed' }).waitFor()
  expect(await client.getTemplate(projectId, templateId)).toMatchObject({
    name: 'Renamed',
    screenshotParameter: { sizes: [{ width: 1280 }, { width: 390 }], headers: { authorization: '' } },
    urls: [{ cookies: [{ name: 'a', value: '' }] }],
  })
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Addresses').fill('https://evil.example/')
  await page.getByRole('button', { name: 'Save the template' }).click()
  await page.getByText('must be given again').waitFor()
  expect(await page.content()).not.toContain('9f31')
})

test.each([390, 768, 1280, 1920])('nothing is wider than a window of %d pixels', async (width) => {
  const { service, projectId, at } = await startTemplates()
  const templateId = await hangTemplate(
    service,
    projectId,
    'A name that is quite long, and goes on '.repeat(4),
  )
  await hangTemplate(service, projectId, 'x'.repeat(190))
  await hangTemplate(service, projectId)
  await hangCaptured(service, projectId, {
    ...{ created: service.now, origin: { templateId } },
    pages: [{ name: 'Home' }],
  })
  const { page } = await visit(`${at}/templates`, { width })
  await page.locator('.template .preview.loaded').waitFor()
  for (const address of [`${at}/templates`, `${at}/templates/${templateId}`]) {
    await page.goto(address)
    await page.locator('.template, #templateName').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    const folder = process.env['LOOK_AT']
    if (folder) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const name = address.endsWith('/templates') ? 'list' : 'form'
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` })
      }
    }
  }
})
