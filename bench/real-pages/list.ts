export interface RealPage {
  readonly name: string
  readonly from: 'npm' | 'debian'
  readonly package: string
  /** Of npm packages only: Debian has one version of each. */
  readonly version?: string | undefined
  /** Within the package. */
  readonly path: string
  /** More than five windows high, at 1280x800. */
  readonly long?: true
  /** Goes on by itself, on and on, so that it has no one right picture to judge others by. */
  readonly restless?: true
  /** Why two pictures of it need not be the same: a clock, a date, or chance, in its own scripts. */
  readonly notCounted?: string
}

type Traits = Pick<RealPage, 'long' | 'restless' | 'notCounted'>
const LONG: Traits = { long: true }
const CAROUSEL: Traits = { long: true, restless: true }

function debian(name: string, from: string, path: string, traits: Traits = {}): RealPage {
  return { name, from: 'debian', package: from, path: `usr/share/${path}`, ...traits }
}

function npm(name: string, spec: string, path: string, traits: Traits = {}): RealPage {
  const at = spec.lastIndexOf('@')
  return { name, from: 'npm', package: spec.slice(0, at), version: spec.slice(at + 1), path, ...traits }
}

const PYTHON = 'doc/python3/html'
const NODE = 'doc/nodejs/api'
const ADMIN_LTE = 'admin-lte@2.3.11'

/** Pages that nobody here wrote. What they ask of other hosts fails, and always does. */
export const REAL_PAGES: readonly RealPage[] = [
  // Documentation: long, with side bars that stay.
  debian('python-functions', 'python3-doc', `${PYTHON}/library/functions.html`, LONG),
  debian('python-stdtypes', 'python3-doc', `${PYTHON}/library/stdtypes.html`, LONG),
  debian('python-control-flow', 'python3-doc', `${PYTHON}/tutorial/controlflow.html`, LONG),
  debian('python-index', 'python3-doc', `${PYTHON}/index.html`),
  // With content-visibility: its height is a guess until it is scrolled through.
  debian('node-path', 'nodejs-doc', `${NODE}/path.html`, LONG),
  debian('node-fs', 'nodejs-doc', `${NODE}/fs.html`, LONG),
  debian('node-url', 'nodejs-doc', `${NODE}/url.html`, LONG),
  debian('glib-hash-tables', 'libglib2.0-doc', 'gtk-doc/html/glib/glib-Hash-Tables.html', LONG),
  debian('cairo-paths', 'libcairo2-doc', 'gtk-doc/html/cairo/cairo-Paths.html', LONG),
  debian('eigen-reference', 'libeigen3-doc', 'doc/libeigen3-dev/html/group__QuickRefPage.html'),
  debian('sqlite-select', 'sqlite3-doc', 'doc/sqlite3/lang_select.html', LONG),
  debian('sqlite-json', 'sqlite3-doc', 'doc/sqlite3/json1.html', LONG),
  debian('sqlite-home', 'sqlite3-doc', 'doc/sqlite3/index.html', {
    notCounted: 'its sponsors come in an order by chance',
  }),
  debian('git-log', 'git-doc', 'doc/git-doc/git-log.html', LONG),
  debian('flask-quickstart', 'python-flask-doc', 'doc/python-flask-doc/html/quickstart.html', LONG),
  debian('jinja-templates', 'python-jinja2-doc', 'doc/python-jinja2-doc/html/templates.html', LONG),
  debian('bash-reference', 'bash-doc', 'doc/bash/bash.html', LONG),
  debian('policy-files', 'debian-policy', 'doc/debian-policy/policy.html/ch-files.html', LONG),
  debian('underscore', 'libjs-underscore', 'doc/libjs-underscore/index.html', LONG),
  npm('vis-timeline', 'vis@4.21.0', 'docs/timeline/index.html', LONG),
  npm('owl-options', 'owl.carousel@2.3.4', 'docs/docs/api-options.html', LONG),
  npm('spectre-forms', 'spectre.css@0.5.9', 'docs/elements/forms.html', LONG),
  npm('paper-path', 'paper@0.12.17', 'dist/docs/classes/Path.html', LONG),
  // Applications: charts, tables, forms.
  npm('adminlte-dashboard', ADMIN_LTE, 'index.html'),
  npm('adminlte-widgets', ADMIN_LTE, 'pages/widgets.html'),
  npm('adminlte-icons', ADMIN_LTE, 'pages/UI/icons.html', LONG),
  npm('adminlte-charts', ADMIN_LTE, 'pages/charts/chartjs.html'),
  npm('adminlte-forms', ADMIN_LTE, 'pages/forms/advanced.html'),
  npm('adminlte-tables', ADMIN_LTE, 'pages/tables/data.html'),
  npm('adminlte-calendar', ADMIN_LTE, 'pages/calendar.html', { notCounted: 'it shows the month of today' }),
  npm('gentelella-icons', 'gentelella@1.4.0', 'production/icons.html', LONG),
  npm('gentelella-dashboard', 'gentelella@1.4.0', 'production/index.html', {
    notCounted: 'its charts show numbers made by chance, over the days from today',
  }),
  npm('tabler', '@tabler/preview@1.2.0', 'dist/layout-navbar-sticky.html'),
  npm('material-dashboard', 'material-dashboard@3.1.0', 'pages/dashboard.html'),
  npm('sb-admin', 'startbootstrap-sb-admin-2@4.1.4', 'index.html'),
  npm('swagger', 'swagger-ui-dist@5.34.1', 'index.html'),
  // Shop windows: large pictures, web fonts, headers that stay, video.
  npm('material-kit', 'material-kit@2.0.4', 'index.html', CAROUSEL),
  npm('now-ui-kit', 'now-ui-kit@1.3.0', 'index.html', CAROUSEL),
  npm('paper-kit', 'paper-kit-2@2.1.0', 'index.html', CAROUSEL),
  npm('argon', 'argon-design-system-free@1.2.0', 'index.html', CAROUSEL),
  npm('agency', 'startbootstrap-agency@7.0.12', 'dist/index.html', LONG),
  npm('clean-blog-post', 'startbootstrap-clean-blog@6.0.9', 'dist/post.html'),
  npm('creative', 'startbootstrap-creative@7.0.7', 'dist/index.html'),
  npm('freelancer', 'startbootstrap-freelancer@7.0.7', 'dist/index.html'),
  npm('grayscale', 'startbootstrap-grayscale@7.0.6', 'dist/index.html', LONG),
  npm('new-age', 'startbootstrap-new-age@6.0.7', 'dist/index.html'),
  npm('resume', 'startbootstrap-resume@7.0.6', 'dist/index.html', LONG),
  npm('stylish-portfolio', 'startbootstrap-stylish-portfolio@6.0.6', 'dist/index.html', LONG),
  // Things that move: by style sheet, by script, by being scrolled to.
  npm('aos', 'aos@2.3.4', 'demo/simple.html', LONG),
  npm('wow', 'wow.js@1.2.2', 'demo.html'),
  npm('vivus', 'vivus@0.4.6', 'index.html'),
  npm('countup', 'countup.js@2.10.1', 'index.html'),
  npm('rellax', 'rellax@1.12.1', 'demo.html'),
  npm('owl-animate', 'owl.carousel@2.3.4', 'docs/demos/animate.html'),
  npm('owl-autoplay', 'owl.carousel@2.3.4', 'docs/demos/autoplay.html', {
    notCounted: 'its slides go on every second, by the clock',
  }),
  npm('spectre-carousels', 'spectre.css@0.5.9', 'docs/experimentals/carousels.html'),
  npm('uikit-scrollspy', 'uikit@3.16.0', 'tests/scrollspy.html', LONG),
  npm('reveal', 'reveal.js@6.0.2', 'demo.html'),
  npm('impress', 'impress.js@1.1.0', 'index.html'),
  npm('particles', 'particles.js@2.0.0', 'demo/index.html', { notCounted: 'its particles fly by chance' }),
  // Drawn by script.
  npm('paper-blend', 'paper@0.12.17', 'examples/Scripts/BlendModes.html'),
  npm('mermaid', 'mermaid@8.0.0', 'dist/index.html', {
    ...LONG,
    notCounted: 'its commits get numbers by chance',
  }),
  npm('mathjax', 'mathjax@2.7.9', 'test/sample.html'),
  npm('leaflet', 'leaflet@0.7.7', 'debug/vector/geojson.html'),
  npm('vis-network', 'vis@4.21.0', 'examples/network/exampleApplications/lesMiserables.html', {
    notCounted: 'its nodes begin where chance puts them',
  }),
  npm('ionicons', 'ionicons@4.6.3', 'dist/cheatsheet.html', LONG),
]
