// Emoji by name, as chats and GitHub know them. Loaded with the first name that is typed.

export interface Emoji {
  readonly name: string;
  readonly character: string;
}

const MOST = 20;

/** A name that starts with the query comes before one in which a later word does. */
export function matchEmoji(query: string): readonly Emoji[] {
  const typed = query.toLowerCase();
  const found = ALL.filter(({ name }) => name.startsWith(typed));
  const later = ALL.filter(({ name }) => name.includes(`_${typed}`) && !name.startsWith(typed));
  return [...found, ...later].slice(0, MOST);
}

const TABLE = `
smile 😄 | smiley 😃 | grin 😁 | grinning 😀 | joy 😂 | rofl 🤣 | laughing 😆 | sweat_smile 😅 | blush 😊 | wink 😉 | heart_eyes 😍
kissing_heart 😘 | yum 😋 | sunglasses 😎 | star_struck 🤩 | partying_face 🥳 | thinking 🤔 | neutral_face 😐 | expressionless 😑
smirk 😏 | unamused 😒 | roll_eyes 🙄 | grimacing 😬 | relieved 😌 | pensive 😔 | sleeping 😴 | mask 😷 | nerd_face 🤓 | confused 😕
worried 😟 | slightly_smiling_face 🙂 | upside_down_face 🙃 | open_mouth 😮 | astonished 😲 | flushed 😳 | cry 😢 | sob 😭 | scream 😱
disappointed 😞 | weary 😩 | tired_face 😫 | triumph 😤 | rage 😡 | angry 😠 | exploding_head 🤯 | hugs 🤗 | shushing_face 🤫
zipper_mouth_face 🤐 | monocle_face 🧐 | skull 💀 | ghost 👻 | alien 👽 | robot 🤖 | poop 💩 | clown_face 🤡 | cat 🐱 | dog 🐶
see_no_evil 🙈 | thumbsup 👍 | +1 👍 | thumbsdown 👎 | -1 👎 | ok_hand 👌 | clap 👏 | wave 👋 | pray 🙏 | muscle 💪 | raised_hands 🙌
handshake 🤝 | point_up ☝️ | point_down 👇 | point_left 👈 | point_right 👉 | crossed_fingers 🤞 | v ✌️ | fist ✊ | shrug 🤷 | facepalm 🤦
eyes 👀 | brain 🧠 | heart ❤️ | orange_heart 🧡 | yellow_heart 💛 | green_heart 💚 | blue_heart 💙 | purple_heart 💜 | broken_heart 💔
sparkles ✨ | star ⭐ | fire 🔥 | boom 💥 | zap ⚡ | rainbow 🌈 | sunny ☀️ | cloud ☁️ | snowflake ❄️ | umbrella ☔ | ocean 🌊
rocket 🚀 | airplane ✈️ | car 🚗 | bike 🚲 | ship 🚢 | anchor ⚓ | house 🏠 | office 🏢 | earth_africa 🌍 | earth_americas 🌎
tada 🎉 | balloon 🎈 | gift 🎁 | trophy 🏆 | medal_sports 🏅 | dart 🎯 | game_die 🎲 | art 🎨 | musical_note 🎵 | guitar 🎸
coffee ☕ | tea 🍵 | beer 🍺 | wine_glass 🍷 | pizza 🍕 | hamburger 🍔 | cake 🍰 | cookie 🍪 | apple 🍎 | banana 🍌 | lemon 🍋
bug 🐛 | beetle 🐞 | snake 🐍 | crab 🦀 | whale 🐳 | penguin 🐧 | elephant 🐘 | unicorn 🦄 | bee 🐝 | turtle 🐢 | seedling 🌱 | tree 🌳
computer 💻 | desktop_computer 🖥️ | keyboard ⌨️ | iphone 📱 | battery 🔋 | electric_plug 🔌 | bulb 💡 | gear ⚙️ | wrench 🔧
hammer 🔨 | hammer_and_wrench 🛠️ | nut_and_bolt 🔩 | microscope 🔬 | test_tube 🧪 | magnet 🧲 | package 📦 | card_file_box 🗃️
lock 🔒 | unlock 🔓 | key 🔑 | shield 🛡️ | link 🔗 | paperclip 📎 | pushpin 📌 | scissors ✂️ | pencil2 ✏️ | memo 📝 | books 📚 | book 📖
calendar 📅 | clipboard 📋 | file_folder 📁 | open_file_folder 📂 | page_facing_up 📄 | bar_chart 📊 | chart_with_upwards_trend 📈
chart_with_downwards_trend 📉 | wastebasket 🗑️ | mag 🔍 | bell 🔔 | no_bell 🔕 | loudspeaker 📢 | speech_balloon 💬 | thought_balloon 💭
email 📧 | inbox_tray 📥 | outbox_tray 📤 | hourglass ⌛ | stopwatch ⏱️ | alarm_clock ⏰ | moneybag 💰 | gem 💎 | label 🏷️ | bookmark 🔖
white_check_mark ✅ | heavy_check_mark ✔️ | x ❌ | heavy_plus_sign ➕ | heavy_minus_sign ➖ | question ❓ | exclamation ❗ | warning ⚠️
no_entry ⛔ | no_entry_sign 🚫 | construction 🚧 | rotating_light 🚨 | checkered_flag 🏁 | triangular_flag_on_post 🚩 | white_flag 🏳️
red_circle 🔴 | orange_circle 🟠 | yellow_circle 🟡 | green_circle 🟢 | blue_circle 🔵 | black_circle ⚫ | white_circle ⚪
arrow_up ⬆️ | arrow_down ⬇️ | arrow_left ⬅️ | arrow_right ➡️ | arrows_counterclockwise 🔄 | repeat 🔁 | twisted_rightwards_arrows 🔀
rewind ⏪ | fast_forward ⏩ | pause_button ⏸️ | stop_button ⏹️ | recycle ♻️ | infinity ♾️ | information_source ℹ️ | new 🆕 | 100 💯
`;

const ALL: readonly Emoji[] = TABLE.split(/[|\n]/)
  .map((each) => each.trim().split(" "))
  .flatMap(([name, character]) => (name && character ? [{ name, character }] : []));
