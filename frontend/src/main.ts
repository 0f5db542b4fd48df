import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import './assets/main.css'
import { watchFonts } from './lib/browser/fonts.ts'
import { router } from './router/index.ts'

// After what the user waits for. A guest of a shared terminal has come for that alone.
void router.isReady().then(async () => {
  if (router.currentRoute.value.path !== '/watch') await slipway.warm()
})
watchFonts()
createApp(App).use(createPinia()).use(router).use(ui).mount('#app')
