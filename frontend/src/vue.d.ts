/** For tools that read TypeScript alone, such as the linter; `vue-tsc` knows each component's own type. */
declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const component: DefineComponent
  export default component
}
