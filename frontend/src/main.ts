import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import './assets/main.css'
import { router } from './router/index.ts'

createApp(App).use(createPinia()).use(router).use(ui).mount('#app')
