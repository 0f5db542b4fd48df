import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import './assets/main.css'
import { endChoicesByEnter } from './lib/browser/chosenByKey.ts'
import { watchFonts } from './lib/browser/fonts.ts'
import { router } from './router/index.ts'

// After the user's page has loaded. A guest of a shared terminal needs no other page.
void router.isReady().then(async () => {
  if (router.currentRoute.value.path !== '/watch') await slipway.warm()
})
watchFonts()
endChoicesByEnter()
createApp(App).use(createPinia()).use(router).use(ui).mount('#app')
