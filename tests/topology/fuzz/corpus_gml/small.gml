Creator "a hand"
graph [
  directed 0
  # a comment
  node [ id 0 label "New &quot;York&quot;" Longitude -74.0 Latitude 40.7 Country "US" ]
  node [ id 7 label "Chicago" Longitude -87.65 Latitude 41.85 graphics [ x 1 y 2 ] ]
  node [ id -2 ]
  edge [ source 0 target 7 LinkSpeedRaw 10000000000.0 weight 2 ]
  edge [ source 7 target -2 rate "1Gbps" delay "5ms" ]
  edge [ source 7 target -2 ]
]
