"""Edits by hand, each as a sentence with [old|new] in it: trivial ones by their kind, and ones that need reading."""

from __future__ import annotations

from core.types import Edit, Span

DATES = """
The ferry sank on [Monday|Thursday] off the cape.
The ferry sank on [3 May|11 June] off the cape.
The bridge opened in [2014|2016] after long repairs.
The bridge opened in [March 2014|October 2014] after long repairs.
The inquiry begins [tomorrow|next week] in the town hall.
The inquiry begins [next month|next year] in the town hall.
She was seen [yesterday|two days ago] near the station.
She was seen [two weeks ago|three months ago] near the station.
The market closes in the [morning|evening] on feast days.
The song was written in the [1960s|1980s] by a baker.
The vote was held last [spring|autumn] in all villages.
The vote was held [last week|last month] in all villages.
The train leaves at [noon|midnight] from the old depot.
The train leaves at [9 am|4 pm] from the old depot.
The train leaves at [09:30|14:45] from the old depot.
The train leaves at [half past six|quarter to nine] from the old depot.
[Yesterday|Today] the clinic moved to a new site.
[On Tuesday|On Sunday] the clinic moved to a new site.
The law was passed the [previous|following] day without a debate.
The tests end in [early|late] August at the latest.
The museum was robbed on [Christmas Eve|New Year's Eve] by two guards.
The committee meets [weekly|monthly] in a rented room.
The committee met [earlier this year|late last year] in a rented room.
"""

NUMBERS = """
The law was passed in the [18th|20th] century without a debate.
The ship carried [12|40] tonnes of grain.
The ship carried [1,200|4,800] tonnes of grain.
The ship carried [a dozen|two dozen] cars.
The ship carried [several hundred|several thousand] cars.
The ship carried [dozens|hundreds] of cars.
The ship carried [one|three] of the cars.
The fine came to [$3.5m|$5.2m] in the end.
The fine came to [£4 million|£9 million] in the end.
The fine came to [4 million|4 billion] euros in the end.
Prices rose by [12%|40%] in a year.
Prices rose by [3.5 per cent|7 per cent] in a year.
[Half|A third] of the seats were empty.
[A quarter|Three quarters] of the seats were empty.
[Twelve|Nineteen] seats were empty.
The club came [first|third] in the league.
The club came [2nd|5th] in the league.
The club won [3-1|2-0] at home.
He was warned [once|twice] by his doctor.
He was warned [twice|four times] by his doctor.
He signed a [five-year|ten-year] contract.
He was [twenty-one|thirty-four] when he signed.
Sales have [doubled|tripled] since the war.
He owns [a single|four] boat.
[More than 40|Fewer than 20] people came.
"""

NEGATIONS = """
The council [did|did not] approve the plan.
The council [approved|did not approve] the plan.
The council [approved|rejected] the plan.
The council [has failed to approve|has approved] the plan.
The council [refused|agreed] to pay for the plan.
The council [will|won't] pay for the plan.
The council [can|cannot] pay for the plan.
The council [supports|opposes] the plan.
The plan [isn't|is] legal in this form.
The plan is [legal|illegal] in this form.
The plan is [likely|unlikely] to succeed.
The plan [is|is no longer] in force.
The plan was passed [with|without] a debate.
The river [rose|fell] during the night.
The [increase|decrease] was noticed at once.
The dose was [higher|lower] in the second group.
The dose was [increased|reduced] in the second group.
The gate is [always|never] locked.
The gate is [open|shut] in summer.
The vote came [before|after] the strike.
[Nobody|Everybody] had seen the letter.
The letter was [found|lost] in the archive.
The man was found [guilty|innocent] of fraud.
The man [admitted|denied] the fraud.
The drug [improved|worsened] sleep in most patients.
"""

NAMES = """
The mayor of [Oslo|Rome] spoke first.
The speech was given by [Orla Voss|Tom Reid] in the rain.
[Voss|Hallam] gave the speech in the rain.
[Orla Voss|Tom Reid] gave the speech in the rain.
[Orla|Tom] gave the speech in the rain.
[Microsoft|Google] bought the small firm.
The small firm was bought by [IBM|SAP] in the end.
The small firm was bought by [eBay|Amazon] in the end.
[Mr Hallam|Mr Pryce] sold the small firm.
[France|Germany] will host the games.
The games will be held in [the United States|the Netherlands] again.
The [French|German] team lost the game.
[Chelsea's|Arsenal's] captain was hurt in the game.
The captain of [Manchester United|Leeds] was hurt in the game.
The paper was printed by [the BBC|the CNN] in full.
A leader of [the Labour Party|the Green Party] resigned.
The study was led by [Dr van der Berg|Dr de Vries] in Delft.
The patient spoke [Spanish|Portuguese] at home.
The song was sung by [Mary-Ann O'Neill|Jo St. Clair] at the fair.
"""

NEEDS_READING = """
The ferry [sank|burned] off the cape.
The ferry sank [because of a storm|because of an old leak] off the cape.
The ferry sank [off the cape|near the oil terminal].
The [pilot|harbour master] had asked for a second tug.
The pilot had asked for a [second|larger] tug.
The pilot [had asked|had been asked] for a second tug.
The pilot had asked for a second tug [an hour before docking|when the wind turned].
The council approved the plan [of the port|of the residents].
The council approved the plan [after a complaint|after a report in the press].
The council [may|will] approve the plan.
The council approved [the plan|the budget].
The council approved the plan, which [protects|displaces] the tenants.
The doctors [suggested|proved] that the drug helps.
The doctors found that the drug [reduces|prevents] headaches.
The doctors found that the drug helps [adults|children].
The doctors found that the drug [helps sleep|causes nausea].
[Police|Firefighters] searched the building.
[Students|Teachers] searched the building.
[Its owner|A neighbour] searched the building.
[Police arrested the man|The man attacked police] at the gate.
[The company|A rival] bought the small firm.
[Microsoft|The company] bought the small firm.
[Orla Voss|Her sister] gave the speech in the rain.
The mayor of [Oslo|the capital] spoke first.
The mayor [praised|photographed] the volunteers.
The mayor thanked [his brother|his lawyer] for the money.
The mayor travelled [by bus|by train] to the coast.
The ship carried [12 cars|his cars].
The ship carried [12 cars|several crates of fruit].
[Hundreds of people|A few officials] came to the fair.
The ship was [two miles long|painted red].
He was the [first|youngest] man to sail alone.
He was warned [twice|in writing] by his doctor.
[One of the boats|The largest boat] was damaged.
The vote was held [on Monday|after the strike].
The vote was held [in March|in secret].
The vote was held [yesterday|in the harbour].
Voters [march|sing] through the town each spring.
The soldiers were ordered to [march|rest].
The team [lost the game|left the field].
No fuel [reached the water|was sold that day].
Not the wind but [the current|the captain] was blamed.
He did not [pay|read] the bill.
She never [met|liked] her teacher.
The gate was locked [by the guard|from inside].
The law [bans|taxes] plastic bags.
The law applies to [plastic bags|glass bottles].
The fund pays for [schools|roads] in the valley.
The fund was set up to [repair|study] the dam.
The bank [lent|gave] the farmers money.
The bank [lent the farmers money|was owed money by the farmers].
The heat [caused|followed] the drought.
The [heat|drought] caused the fires.
The judge [warned|told] the lawyer.
The judge [sentenced|questioned] him at length.
The band [broke up|went on tour] that year.
The band went on tour [with|after] its new singer.
The book describes [her childhood|her travels].
The book is [a novel|a memoir] about the war.
The bones belonged to [a horse|a bear].
[Critics|Supporters of the plan] met in the hall.
[March|Summer heat] ruined the harvest.
Engineers [inspected|rebuilt] the bridge.
The wreck was [found|photographed] by divers.
The wreck lies [in shallow water|under the new pier].
"""

HELD_OUT = {
    "date": """
Work starts [on Wednesday|next Friday] at the latest.
Work starts [this afternoon|tomorrow morning] at the latest.
The strike lasted from [April to June|May to September] that year.
The strike ended in [mid-July|late November] without a deal.
The film came out in the [winter of 1998|summer of 2003] in Japan.
The [1920s|1950s] were good years for the mine.
The shop shuts at [5.30 pm|8 pm] on weekdays.
He died [six months ago|a decade ago] in hospital.
[In 1987|In 1994] the mine was closed.
[Last Sunday|Last Saturday] the mine was closed.
The panel reports [annually|every week] to the board.
The parade is held at [Easter|Christmas] each year.
The lake froze [in January|in early March] that year.
The lake froze [overnight|last week] for once.
The school opens [on 1 September|on 12 October] again.
The talks begin [the day after tomorrow|next Tuesday] in Bern.
The pact expires [at the end of 2025|in mid-2027] unless renewed.
The clinic is open [from Monday to Friday|every Saturday] only.
The star was seen [at dawn|at dusk] by sailors.
""",
    "number": """
The blast injured [seven|eleven] miners.
The blast injured [at least seven|more than thirty] miners.
The mine employs [2,300|5,700] people.
The mine employs [a hundred|six hundred] people.
The tower is [40-storey|25-storey] and empty.
She finished [fourth|second] in the race.
She has run the race [once|five times] before.
The fund lost [$1.2bn|$3.4bn] in May.
The fund lost [a fifth|two thirds] of its value.
[Two|Six] in ten voters stayed at home.
The flood left [thousands|millions] without power.
The fever reached [38.5|40.1] degrees.
The lake is [30|45] metres deep.
The lake is [thirty|forty-five] metres deep.
The lake lost [70 per cent|90 per cent] of its water.
The lake has [three|about a dozen] islands.
He was fined [€500|€2,000] for fishing.
It was his [second|seventh] fine.
Interest fell by [0.5|0.25] points.
""",
    "antonym or negation": """
The minister [has|has not] seen the report.
The minister [confirmed|denied] the report.
The minister [does not know|knows] the author.
The minister was [able|unable] to answer.
The minister [couldn't|could] answer.
[No one|Everyone] answered the call.
Exports [grew|shrank] in the second half.
Exports were [stronger|weaker] than feared.
The virus is [more|less] dangerous to children.
The court [upheld|overturned] the ruling.
The [majority|minority] of the members left.
The bridge was [safe|unsafe] for lorries.
The troops [entered|left] the town at dawn.
The treatment [worked|failed] in mice.
The pact was [accepted|rejected] by all sides.
The pact was [never|finally] signed.
The pact was [signed|not signed] by all sides.
The talks [continued|stopped] after the attack.
The lake is [shallow|deep] at its edge.
The fish are [edible|inedible] in spring.
The [rich|poor] pay no such tax.
The [seller|buyer] pays the tax.
The tax was [abolished|introduced] by the left.
They [remembered|forgot] his name.
They are [willing|unwilling] to pay.
Nobody [won|lost] money.
""",
    "name swap": """
The treaty was signed in [Vienna|Lisbon] at last.
The lawyer of [Jana Novak|Pieter Bos] objected.
[Novak|Bos] objected at once.
[Jana Novak's|Pieter Bos's] lawyer objected.
The firm moved to [South Korea|New Zealand] later.
[Brazil|Portugal] won the cup.
The [Italian|Swedish] ambassador left the room.
The plane was built by [Boeing|Airbus] long ago.
[UNESCO|NATO] condemned the attack.
The prize went to [Professor Lindqvist|Professor Okafor] again.
The pact was signed in [Bern|Oslo] at last.
[Bern|Oslo] was chosen for the talks.
[Emeka Obi|Lars Holm] signed the pact.
[Siemens|Toyota] signed the pact.
The [Dutch|Danish] envoy signed the pact.
The fish was named after [Charles Darwin|Isaac Newton] by a student.
""",
}
"""Written after the rules, in two parts; the rules were then extended once, by what the first part showed."""

HELD_OUT_NEEDS_READING = """
The miners [were trapped|were paid] underground.
The miners blamed [the owners|the union] for the blast.
The blast was caused by [gas|a faulty lamp].
[Miners|Relatives] waited at the gate.
[Mine inspectors|Union leaders] visited the site.
[Gas|Water] filled the tunnel.
The [first|main] tunnel was filled with water.
The strike was called [over pay|over safety].
The strike spread [to other mines|to the railways].
The minister [read|wrote] the report.
The minister [might|must] answer the report.
The minister answered [the journalists|the opposition].
[The minister|Her deputy] answered the report.
The minister was [asked|forced] to resign.
The minister resigned [for health reasons|for family reasons].
The court heard [that he stole|that he found] the money.
The court heard the case [in public|in his absence].
[Doctors|Families] demanded a new ward.
The drug was tested [on mice|on volunteers].
The drug was tested [by the firm|by a university].
The drug [lowered|measured] blood pressure.
The virus [spreads through water|spreads through the air].
The troops [occupied|surrounded] the town.
The troops were [hungry|wounded].
The cup was won by [the hosts|the youngest team].
[Brazil|The host country] won the cup.
She won the race [despite an injury|because of her new shoes].
She [trained|taught] in the mountains.
[Training|Luck] won her the race.
The tower was sold to [a bank|a church].
The tower houses [offices|flats].
The film is about [a nurse|a thief] in Osaka.
The film [follows|mocks] a nurse in Osaka.
The shop sells [bread|shoes] on weekdays.
He died [in hospital|at sea] as a young man.
He [wrote|translated] the hymn.
The hymn was written [for a wedding|in 1887].
The parade was [cancelled|filmed] in the end.
The fund invests in [mines|farms].
The panel found [no evidence|few documents] of fraud.
The lake froze [to the bottom|near the shore] that year.
The lake [froze|flooded] that year.
[Fishermen|Swimmers] complained about the lake.
[Ice|Mud] covered the lake.
The school opens [a library|a swimming pool] again.
The school [was rebuilt|was painted] by parents.
The talks begin [without the union|in a castle] in Bern.
The talks [were held|were filmed] in Bern.
The pact [covers fishing|covers mining] in the lake.
The pact was [drafted|leaked] by a clerk.
He was fined [for fishing|for littering] in the lake.
He was [fined|praised] for fishing.
The star was seen by [sailors|shepherds].
The star [was seen|was named] by sailors.
The envoy [of the king|of the church] signed the pact.
[The envoy|The king] signed the pact.
The fish [was named after a student|was eaten by a student].
The tax pays for [hospitals|bridges].
The tax was opposed [by farmers|by dentists].
They remembered his [name|face].
"""

TRIVIAL = {"date": DATES, "number": NUMBERS, "antonym or negation": NEGATIONS, "name swap": NAMES}


def read_case(line: str) -> tuple[str, Edit]:
    """The sentence before the edit, and the edit in brackets."""
    before, bracket = line.split("[")
    words, after = bracket.split("]")
    old, new = words.split("|")
    return f"{before}{old}{after}", Edit(Span(len(before), len(before) + len(old)), new)
